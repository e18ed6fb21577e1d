/* What the functions of Fortran have in common that a mirror has by hand: those that hand the MPI a
   function of the program's, or an attribute. The MPI's own would keep them for itself. */
#ifndef FORTRAN_H
#define FORTRAN_H

#include "mirror.h"

/* Exports a function by the names that gfortran, ifx and others call it by, and by the one that
   Open MPI's module mpi_f08 does. */
#define FORTRAN(name, ...)                                                                         \
    __attribute__((visibility("default"))) void mpi_##name##_(__VA_ARGS__);                        \
    extern __typeof__(mpi_##name##_) pmpi_##name##_                                                \
        __attribute__((alias("mpi_" #name "_"), visibility("default")));                           \
    extern __typeof__(mpi_##name##_) ompi_##name##_f                                               \
        __attribute__((alias("mpi_" #name "_"), visibility("default")));                           \
    void mpi_##name##_(__VA_ARGS__)

#endif
