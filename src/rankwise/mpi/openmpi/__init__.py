"""Open MPI 4 (ORTE) and 5 (PRRTE)."""

from rankwise.mpi.openmpi.family import OpenMpi as OpenMpi
