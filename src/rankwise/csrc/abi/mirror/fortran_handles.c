/* Handles as Fortran's integers, where they are addresses in C.

   If the program's own MPI carries out the calls, its integers stay valid, since its Fortran
   library makes some by itself; handles of a layer above it have a range that it never reaches.
   Else the predefined ones have the numbers of that MPI's mpif.h, and all others those of the
   table. */
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "mirror.h"

enum { LAYER_FIRST = 0x02000000, LAYER_END = 0x04000000 };

static int is_shared(void)
{
    static int known; /* 1: yes, 2: no */
    if (!known)
        known = getenv(SHARED_VARIABLE) ? 1 : 2;
    return known == 1;
}

static int is_layered(int number)
{
    return number >= LAYER_FIRST && number < LAYER_END;
}

static int number_of(const Predefined *known, uintptr_t standard)
{
    while (known->number >= 0 && known->standard != standard)
        known++;
    return known->number;
}

#define CONVERSIONS(kind, name)                                                                    \
    extern const Predefined fortran_##kind[];                                                      \
    __attribute__((visibility("default")))                                                         \
    MPI_Fint mirror_##name##_c2f(MPI_##kind handle) __asm__("MPI_" #name "_c2f");                  \
    MPI_Fint mirror_##name##_c2f(MPI_##kind handle)                                                \
    {                                                                                              \
        if (sizeof handle == sizeof(MPI_Fint))                                                     \
            return (MPI_Fint)(intptr_t)handle;                                                     \
        const ABI_##kind standard = from_##kind(handle);                                           \
        const int predefined = (uintptr_t)standard < PREDEFINED;                                   \
        if (is_shared() && predefined)                                                             \
            return PMPI_##name##_c2f(handle);                                                      \
        const int known = predefined ? number_of(fortran_##kind, (uintptr_t)standard) : -1;        \
        const int number = known >= 0 ? known : abi_table.name##_toint(standard);                  \
        return is_shared() && !is_layered(number) ? PMPI_##name##_c2f(handle) : number;            \
    }                                                                                              \
    __attribute__((visibility("default")))                                                         \
    MPI_##kind mirror_##name##_f2c(MPI_Fint number) __asm__("MPI_" #name "_f2c");                  \
    MPI_##kind mirror_##name##_f2c(MPI_Fint number)                                                \
    {                                                                                              \
        if (sizeof(MPI_##kind) == sizeof number)                                                   \
            return (MPI_##kind)(intptr_t)number;                                                   \
        if (is_shared() && !is_layered(number))                                                    \
            return PMPI_##name##_f2c(number);                                                      \
        const uintptr_t known = standard_of(fortran_##kind, number);                               \
        return to_##kind(known ? (ABI_##kind)known : abi_table.name##_fromint(number));            \
    }

#ifdef KNOWS_Comm_c2f
CONVERSIONS(Comm, Comm)
#endif
#ifdef KNOWS_Datatype_c2f
CONVERSIONS(Datatype, Type)
#endif
#ifdef KNOWS_Errhandler_c2f
CONVERSIONS(Errhandler, Errhandler)
#endif
#ifdef KNOWS_File_c2f
CONVERSIONS(File, File)
#endif
#ifdef KNOWS_Group_c2f
CONVERSIONS(Group, Group)
#endif
#ifdef KNOWS_Info_c2f
CONVERSIONS(Info, Info)
#endif
#ifdef KNOWS_Message_c2f
CONVERSIONS(Message, Message)
#endif
#ifdef KNOWS_Op_c2f
CONVERSIONS(Op, Op)
#endif
#ifdef KNOWS_Request_c2f
CONVERSIONS(Request, Request)
#endif
#ifdef KNOWS_Session_c2f
CONVERSIONS(Session, Session)
#endif
#ifdef KNOWS_Win_c2f
CONVERSIONS(Win, Win)
#endif

/* A status is the same integers in both. The MPI's own functions want to have been started. */
__attribute__((visibility("default"))) int mirror_Status_c2f(const MPI_Status *,
                                                             MPI_Fint *) __asm__("MPI_Status_c2f");
__attribute__((visibility("default"))) int
mirror_Status_f2c(const MPI_Fint *, MPI_Status *) __asm__("MPI_Status_f2c");

int mirror_Status_c2f(const MPI_Status *status, MPI_Fint *numbers)
{
    memcpy(numbers, status, sizeof *status);
    return MPI_SUCCESS;
}

int mirror_Status_f2c(const MPI_Fint *numbers, MPI_Status *status)
{
    memcpy(status, numbers, sizeof *status);
    return MPI_SUCCESS;
}
