"""Workflows carry out what users ask for: typed requests in, typed results out, progress as events."""
