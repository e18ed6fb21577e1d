"""Summaries, intervals, tests and segments of samples. Pure functions on arrays."""
