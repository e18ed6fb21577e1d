"""Profiles on disk: what `tune` writes, and what `run` and `compare` load."""
