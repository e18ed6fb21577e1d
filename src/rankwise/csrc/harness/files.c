/* Files of MPI-IO. Nothing is forced to the disk: what is measured is the library and, where the
 * file fits into it, the system's cache. */
#define _GNU_SOURCE
#include "files.h"
#include "harness.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void require_file(const Cell *c, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    end_job(c->job, text);
}

#ifdef MPI_MODE_RDWR
static void write_block(Cell *c)
{
    const OpenFile *open = c->state;
    require_file(c, MPI_File_write_at(open->file, open->offset, c->send, c->count, c->type,
                                      MPI_STATUS_IGNORE));
}

static void fill_written(Cell *c)
{
    fill_block(c, 0, c->rank);
}

static void fill_read(Cell *c)
{
    fill_written(c);
    write_block(c);
}

static void check_read(Cell *c)
{
    expect_block(c, 0, c->rank, c->rank);
}

static void check_written(Cell *c)
{
    const OpenFile *open = c->state;
    require_file(c, MPI_File_read_at(open->file, open->offset, c->receive, c->count, c->type,
                                     MPI_STATUS_IGNORE));
    check_read(c);
}

const Data written_data = {ONE_BLOCK, ONE_BLOCK, fill_written, check_written};
const Data read_data = {ONE_BLOCK, ONE_BLOCK, fill_read, check_read};

static const char *folder_of(const Cell *c)
{
    const char *chosen = getenv("TMPDIR");
    return c->folder[0] ? c->folder : chosen && chosen[0] ? chosen : "/tmp";
}

static void open_file(Cell *c, OpenFile *open, MPI_Comm comm, int mode)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    const int error =
        MPI_File_open(comm, open->path, MPI_MODE_RDWR | mode, MPI_INFO_NULL, &open->file);
    open->opened = error == MPI_SUCCESS;
    if (open->opened)
        return;
    MPI_Error_string(error, text, &length);
    fail_cell(c, "rank %d on %s cannot open %.100s: %.100s; --folder names another folder",
              c->job->rank, host_of(c->job, c->job->rank), open->path, text);
}

/* No two launches at once may meet in one file. */
static long long unlikely_number(const Cell *c)
{
    return ((long long)getpid() << 32) ^ (long long)(local_seconds(c->job) * 1e9);
}

/* Reading needs something to read; all ranks go on, or none. Errors of files come back as codes. */
static void use_file(Cell *c)
{
    if (all_ranks_well(c))
        write_block(c);
}

void open_own_file(Cell *c)
{
    OpenFile *open = cell_memory(c, sizeof *open);
    c->state = open;
    if (!all_ranks_well(c))
        return;
    snprintf(open->path, sizeof open->path, "%s/rankwise-%llx-%d", folder_of(c),
             (unsigned long long)unlikely_number(c), c->rank);
    open_file(c, open, MPI_COMM_SELF, MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    use_file(c);
}

/* The first rank creates it, and the others must find it: hosts may have folders of this name that
 * are not one and the same, and some libraries would not notice. */
void open_shared_file(Cell *c)
{
    OpenFile *open = cell_memory(c, sizeof *open);
    long long number = unlikely_number(c);
    c->state = open;
    MPI_Bcast(&number, sizeof number, MPI_BYTE, 0, c->comm);
    if (!all_ranks_well(c))
        return;
    snprintf(open->path, sizeof open->path, "%s/rankwise-%llx", folder_of(c),
             (unsigned long long)number);
    FILE *created = c->rank == 0 ? fopen(open->path, "w") : NULL;
    if (created)
        fclose(created);
    wait_for_all(c->job);
    if (access(open->path, R_OK | W_OK) != 0)
        fail_cell(c,
                  "rank %d on %s does not find %s, which rank 0 created: --folder names a folder "
                  "that all hosts share",
                  c->job->rank, host_of(c->job, c->job->rank), open->path);
    if (!all_ranks_well(c)) {
        if (c->rank == 0)
            unlink(open->path);
        return;
    }
    open->offset = (MPI_Offset)c->rank * (MPI_Offset)c->payload_bytes;
    open_file(c, open, c->comm, MPI_MODE_DELETE_ON_CLOSE);
    use_file(c);
}

void close_file(Cell *c)
{
    OpenFile *open = c->state;
    if (open && open->opened)
        require_file(c, MPI_File_close(&open->file));
    free(open);
}
#else
const Data written_data = {ONE_BLOCK, ONE_BLOCK, NULL, NULL};
const Data read_data = {ONE_BLOCK, ONE_BLOCK, NULL, NULL};

void open_own_file(Cell *c)
{
    fail_cell(c, "%s", NEEDS_FILES);
}

void open_shared_file(Cell *c)
{
    open_own_file(c);
}

void close_file(Cell *c)
{
    (void)c;
}
#endif
