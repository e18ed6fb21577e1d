/* What the gateway asks of the library that encrypts connections. That is a library of its own,
 * loaded by jobs that encrypt alone: others need no OpenSSL, and whatever OpenSSL a program has
 * itself is not mixed up with the one here. */
#ifndef ENCRYPTION_H
#define ENCRYPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ENCRYPTION_ENTRY "rankwise_encryption"

enum { RECORD_BYTES = 16 << 10 };

typedef struct Session Session; /* TLS on one connection */

/* None of these waits or raises a signal. */
typedef struct {
    /* Both ends have to name the same protocol and know the same key, or there is no connection.
     * The handshake is done as the first bytes are received or sent. NULL: OpenSSL cannot. */
    Session *(*begin)(int socket, const char *protocol, const char *key, bool accepts);

    /* As recv() and send(): how many bytes, 0: the other side has ended, or -1 and errno. EAGAIN:
     * nothing can be done now; a `send` has to be repeated with the same bytes then. It takes no
     * more than a record at a time, which may stay here until it is flushed. `peek`: the bytes will
     * be received again. */
    ssize_t (*receive)(Session *, void *to, size_t bytes, bool peek);
    ssize_t (*send)(Session *, const void *from, size_t bytes);

    /* 0: all that was sent has gone out, or -1 and errno. */
    int (*flush)(Session *);

    /* After EAGAIN: whether the other side has to say something first. */
    bool (*listens)(const Session *);

    /* Why it has failed; NULL: it has not, or the other side has gone without a word. */
    const char *(*reason)(const Session *);

    void (*end)(Session *);
} Encryption;

typedef const Encryption *EncryptionEntry(void);

#endif
