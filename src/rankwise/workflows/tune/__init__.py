"""Tuning searches settings, measures them against the default, and writes what holds as a profile."""
