"""Studies: one file a paper, which measures again what it measured and says which of its statements hold today."""
