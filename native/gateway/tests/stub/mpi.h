/* As much of the standard ABI's mpi.h as the files under test name: they are compiled without an
 * MPI. The values are of this header alone. */
#ifndef MPI_H_ABI
#define MPI_H_ABI

#include <stdint.h>

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal[5];
} MPI_Status;

enum {
    MPI_SUCCESS,
    MPI_ERR_NO_MEM = 39,
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -2,
    MPI_COMBINER_NAMED = 101,
    MPI_COMBINER_CONTIGUOUS = 103,
    MPI_COMBINER_STRUCT = 110,
    MPI_COMBINER_F90_REAL = 113,
    MPI_COMBINER_F90_COMPLEX,
    MPI_COMBINER_F90_INTEGER
};

#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_OP_NULL ((MPI_Op)0x20)

#define MPI_BYTE ((MPI_Datatype)0x201)
#define MPI_INT ((MPI_Datatype)0x202)
#define MPI_DOUBLE ((MPI_Datatype)0x203)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x204)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x205)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x206)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x207)
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x208)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x209)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x20a)
#define MPI_COMPLEX ((MPI_Datatype)0x20b)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x20c)
#define MPI_COMPLEX4 ((MPI_Datatype)0x20d)
#define MPI_COMPLEX8 ((MPI_Datatype)0x20e)
#define MPI_COMPLEX16 ((MPI_Datatype)0x20f)
#define MPI_COMPLEX32 ((MPI_Datatype)0x210)
#define MPI_2INT ((MPI_Datatype)0x211)
#define MPI_2INTEGER ((MPI_Datatype)0x212)
#define MPI_2REAL ((MPI_Datatype)0x213)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x214)
#define MPI_FLOAT_INT ((MPI_Datatype)0x215)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x216)
#define MPI_LONG_INT ((MPI_Datatype)0x217)
#define MPI_SHORT_INT ((MPI_Datatype)0x218)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x219)

#endif
