#include "files.h"

#ifdef MPI_MODE_RDWR
static void run(Cell *c)
{
    const OpenFile *open = c->state;
    require_file(c, MPI_File_read_at_all(open->file, open->offset, c->receive, c->count, c->type,
                                         MPI_STATUS_IGNORE));
}
#endif

KERNEL(read_together) = {
    .category = FILES,
    .description = "all ranks read their blocks of a shared file by one collective operation",
    .data = &read_data,
    .run = FILES_ONLY(run),
    .setup = open_shared_file,
    .teardown = close_file,
    .moves = 1,
    .plain_data = FILES_OF_PLAIN_DATA,
    .unsupported = NEEDS_FILES,
};
