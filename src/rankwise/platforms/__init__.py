"""Platforms on disk: read, written, compared, and exchanged with other simulators."""
