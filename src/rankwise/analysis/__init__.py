"""What the samples mean."""
