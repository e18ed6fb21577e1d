/* LAM/MPI 7.1.4 hands readv and writev entries of no length with an uninitialised address. Kernels
 * refuse those (EFAULT) where the address happens to look like their own, and then MPI_Init fails:
 * in about half of all starts. The program's own readv and writev come before libc's and drop them.
 */
#define _GNU_SOURCE
#include <mpi.h>

#ifdef LAM_MPI
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_ENTRIES = 1024 }; /* Linux's own limit */

static ssize_t call_without_empty(long call, int fd, const struct iovec *entries, int count)
{
    struct iovec kept[MOST_ENTRIES];
    int kept_count = 0;
    if (count < 0 || count > MOST_ENTRIES) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (entries[i].iov_len > 0)
            kept[kept_count++] = entries[i];
    }
    return syscall(call, fd, kept, kept_count);
}

ssize_t readv(int fd, const struct iovec *entries, int count)
{
    return call_without_empty(SYS_readv, fd, entries, count);
}

ssize_t writev(int fd, const struct iovec *entries, int count)
{
    return call_without_empty(SYS_writev, fd, entries, count);
}
#endif
