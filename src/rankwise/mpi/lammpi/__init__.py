"""LAM/MPI 7."""

from rankwise.mpi.lammpi.family import LamMpi as LamMpi
