"""The command line: one file a verb; the only place where the layers are put together."""
