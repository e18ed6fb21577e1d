/* Which connections are encrypted: all of a job that was started with --encrypt, from their first
 * byte on. A connection is known by its socket's number, as everywhere here. */
#ifndef ENCRYPTED_H
#define ENCRYPTED_H

#include "encryption.h"
#include <stdbool.h>
#include <sys/uio.h>

extern const Encryption *encryption; /* NULL: this job's connections are in the clear */

/* Loads it where the job is to encrypt, or ends the job with the reason. */
void load_encryption(void);

/* A connection that is there is encrypted from now on, with the key that who meets there knows. */
void encrypt(int socket, const char *protocol, const char *key, bool accepts);

Session *session_of(int socket); /* NULL: it is in the clear */

/* As sendmsg() of these two, which go in one record as far as they fit: they come together then. */
ssize_t send_parts(Session *session, const struct iovec parts[2]);

/* All of it, or false with errno: ETIMEDOUT, ECONNRESET for a connection that was closed, or
 * another one. Reading within so many seconds. Encrypted where the connection is. */
bool read_all(int socket, void *to, size_t bytes, double seconds);
bool write_all(int socket, const void *from, size_t bytes);

void close_connection(int socket);

#endif
