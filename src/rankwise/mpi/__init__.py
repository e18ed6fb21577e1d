"""The MPI families, one folder each, and how installations are found, tested and installed."""
