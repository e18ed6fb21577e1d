"""The simulator: what a program would take on a platform."""
