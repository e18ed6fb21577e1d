/* Loaded into everything of LAM/MPI.
 *
 * LAM/MPI 7.1.4 hands writev() and readv() entries of no length whose address was never set. The
 * kernel checks the address all the same, so that every second MPI_Init fails with EFAULT. Such
 * entries are left out here.
 *
 * All ranks on the host of mpirun share its standard input, so that any of them may take what is
 * for rank 0. Other ranks have an empty one here, as on other hosts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 64 /* LAM uses two or three */

static int without_empty(const struct iovec *entries, int count, struct iovec *kept)
{
    int i, used = 0;
    for (i = 0; i < count; i++)
        if (entries[i].iov_len > 0)
            kept[used++] = entries[i];
    return used;
}

__attribute__((constructor)) static void leave_input_to_rank_0(void)
{
    const char *rank = getenv("LAMRANK");
    int nothing;
    if (!rank || strcmp(rank, "0") == 0)
        return;
    nothing = open("/dev/null", O_RDONLY);
    if (nothing > 0 && dup2(nothing, 0) == 0)
        close(nothing);
}

ssize_t writev(int file, const struct iovec *entries, int count)
{
    struct iovec kept[MOST];
    if (count < 0 || count > MOST)
        return syscall(SYS_writev, file, entries, count);
    return syscall(SYS_writev, file, kept, without_empty(entries, count, kept));
}

ssize_t readv(int file, const struct iovec *entries, int count)
{
    struct iovec kept[MOST];
    if (count < 0 || count > MOST)
        return syscall(SYS_readv, file, entries, count);
    return syscall(SYS_readv, file, kept, without_empty(entries, count, kept));
}
