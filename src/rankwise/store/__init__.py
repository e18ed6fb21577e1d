"""Results on disk: one SQLite file, raw samples, every launch as soon as it ends."""
