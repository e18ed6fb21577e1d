"""A program whose two ranks both send before either receives: it ends only where such messages are eager."""

import subprocess
from pathlib import Path

from rankwise.core.records import Implementation

END = "both sends returned"
_SOURCE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size = atoi(argv[argc - 1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = calloc(size, 1), *in = calloc(size, 1);
    MPI_Send(out, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, size, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("END");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
""".replace("END", END)


def both_send_first(implementation: Implementation, folder: Path) -> Path:
    """Return the program, compiled; its argument is the size in bytes."""
    source, program = folder / "both_send_first.c", folder / "both_send_first"
    source.write_text(_SOURCE)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), **dict(implementation.environment)}
    subprocess.run([implementation.mpicc, "-o", program, source], check=True, env=environment, timeout=30)
    return program
