#include "files.h"

#ifdef MPI_MODE_RDWR
static void run(Cell *c)
{
    const OpenFile *open = c->state;
    require_file(c, MPI_File_write_at(open->file, open->offset, c->send, c->count, c->type,
                                      MPI_STATUS_IGNORE));
}
#endif

KERNEL(write_shared) = {
    .category = FILES,
    .description = "each rank writes its block of a file that all share",
    .data = &written_data,
    .run = FILES_ONLY(run),
    .setup = open_shared_file,
    .teardown = close_file,
    .moves = 1,
    .plain_data = FILES_OF_PLAIN_DATA,
    .unsupported = NEEDS_FILES,
};
