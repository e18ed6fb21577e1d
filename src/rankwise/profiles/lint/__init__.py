"""Finds what does not do what it seems to in settings files that others have written: one file a format."""
