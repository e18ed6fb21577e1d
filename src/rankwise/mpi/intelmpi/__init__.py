"""Intel MPI 2019 and later."""

from rankwise.mpi.intelmpi.family import IntelMpi as IntelMpi
