"""The standard ABI on any implementation: one table of functions, its front end, and a backend for each MPI."""
