"""Sections of a study's page: one file each."""
