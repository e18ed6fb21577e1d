"""MPICH 3, 4 and 5."""

from rankwise.mpi.mpich.family import Mpich as Mpich
