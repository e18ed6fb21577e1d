"""The MPI families, one file each, and how installations are found, proved and installed."""
