"""Placing ranks where what they send one another costs least."""
