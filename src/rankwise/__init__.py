"""Compare, tune, explain and predict MPI communication on the user's own network."""

__version__ = "0.1.0"
