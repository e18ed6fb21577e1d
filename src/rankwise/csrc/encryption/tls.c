/* TLS 1.3 by OpenSSL, with a key that both ends were given: there are no certificates. It is as
 * between relays (native/relay/tls.cpp). */
#include <openssl/ssl.h>

#include "encryption.h"
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#if OPENSSL_VERSION_NUMBER < 0x10101000L
#error "TLS 1.3 came with OpenSSL 1.1.1"
#endif

#define SUITE "TLS_AES_128_GCM_SHA256"
#define PUBLIC __attribute__((visibility("default")))

/* Records that are read or written at once cost less than one by one. */
enum { TOGETHER_BYTES = 64 << 10 };
/* A key is good for 2^24.5 records (RFC 8446, section 5.5). */
enum { RECORDS_PER_KEY = 1 << 22 };

struct Session {
    SSL *ssl;
    unsigned long records;
    bool ready, failed; /* the handshake is done; it cannot go on */
    const char *reason;
    char protocol[32], key[64];
};

/* The connection as OpenSSL's own BIO has it, but that one may raise SIGPIPE, which is the
 * program's, and wants a socket that never waits. */
static int socket_of(BIO *bio)
{
    return (int)(intptr_t)BIO_get_data(bio);
}

static int give(BIO *bio, const char *from, int bytes)
{
    BIO_clear_retry_flags(bio);
    const ssize_t done = send(socket_of(bio), from, (size_t)bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(bio);
    return (int)done;
}

static int take(BIO *bio, char *to, int bytes)
{
    BIO_clear_retry_flags(bio);
    const ssize_t done = recv(socket_of(bio), to, (size_t)bytes, MSG_DONTWAIT);
    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    return (int)done;
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO *connection(int socket)
{
    static BIO_METHOD *method;
    if (!method) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection");
        if (!method || !BIO_meth_set_write(method, give) || !BIO_meth_set_read(method, take) ||
            !BIO_meth_set_ctrl(method, control))
            return NULL;
    }
    BIO *bio = BIO_new(method);
    if (bio) {
        BIO_set_data(bio, (void *)(intptr_t)socket);
        BIO_set_init(bio, 1);
    }
    return bio;
}

static SSL_SESSION *known(SSL *ssl)
{
    static const unsigned char suite[] = {0x13, 0x01};
    const Session *s = SSL_get_app_data(ssl);
    SSL_SESSION *session = SSL_SESSION_new();
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, suite);
    if (session && cipher &&
        SSL_SESSION_set1_master_key(session, (const unsigned char *)s->key, strlen(s->key)) == 1 &&
        SSL_SESSION_set_cipher(session, cipher) == 1 &&
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

static int use_key(SSL *ssl, const EVP_MD *digest, const unsigned char **name, size_t *length,
                   SSL_SESSION **session)
{
    const Session *s = SSL_get_app_data(ssl);
    (void)digest;
    *name = (const unsigned char *)s->protocol;
    *length = strlen(s->protocol);
    *session = known(ssl);
    return *session != NULL;
}

static int find_key(SSL *ssl, const unsigned char *name, size_t length, SSL_SESSION **session)
{
    Session *s = SSL_get_app_data(ssl);
    *session = NULL;
    if (length != strlen(s->protocol) || memcmp(name, s->protocol, length) != 0) {
        s->reason = "it is of another version of Rankwise";
        return 0;
    }
    *session = known(ssl);
    return *session != NULL;
}

static SSL_CTX *new_context(void)
{
    SSL_CTX *made = SSL_CTX_new(TLS_method());
    if (!made || SSL_CTX_set_min_proto_version(made, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(made, SUITE) != 1 || SSL_CTX_set_num_tickets(made, 0) != 1) {
        SSL_CTX_free(made);
        return NULL;
    }
    SSL_CTX_set_psk_use_session_callback(made, use_key);
    SSL_CTX_set_psk_find_session_callback(made, find_key);
    SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(made, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(made, 1);
    SSL_CTX_set_default_read_buffer_len(made, TOGETHER_BYTES);
    return made;
}

static bool attach(SSL *ssl, int socket)
{
    BIO *end = connection(socket), *buffer = BIO_new(BIO_f_buffer());
    if (!end || !buffer || BIO_set_write_buffer_size(buffer, TOGETHER_BYTES) != 1 ||
        BIO_up_ref(end) != 1) {
        BIO_free(end);
        BIO_free(buffer);
        return false;
    }
    SSL_set0_rbio(ssl, end);
    SSL_set0_wbio(ssl, BIO_push(buffer, end));
    return true;
}

static void end(Session *s)
{
    SSL_free(s->ssl);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static Session *begin(int socket, const char *protocol, const char *key, bool accepts)
{
    static SSL_CTX *context;
    Session *s = calloc(1, sizeof *s);
    if (!context)
        context = new_context();
    if (!s || !context || strlen(protocol) >= sizeof s->protocol || strlen(key) >= sizeof s->key ||
        !*key) {
        free(s);
        return NULL;
    }
    strcpy(s->protocol, protocol);
    strcpy(s->key, key);
    s->ssl = SSL_new(context);
    if (!s->ssl || !attach(s->ssl, socket) || SSL_set_app_data(s->ssl, s) != 1) {
        end(s);
        return NULL;
    }
    if (accepts) {
        SSL_set_accept_state(s->ssl);
        return s;
    }
    /* No certificate is ever good: whoever has not got the key is nobody. */
    SSL_set_verify(s->ssl, SSL_VERIFY_PEER, NULL);
    SSL_set_connect_state(s->ssl);
    return s;
}

/* What the oldest of OpenSSL's errors says; NULL: nothing. */
static const char *reason_of(unsigned long error)
{
    const int why = ERR_GET_REASON(error);
    if (ERR_GET_LIB(error) != ERR_LIB_SSL)
        return NULL;
    if (why == SSL_R_BINDER_DOES_NOT_VERIFY || why == SSL_R_NO_SHARED_CIPHER ||
        why == SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM || why == SSL_R_CERTIFICATE_VERIFY_FAILED ||
        why == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER || why == SSL_R_TLSV1_ALERT_DECRYPT_ERROR)
        return "it has another job's key";
    return ERR_reason_error_string(error);
}

/* What comes of a call that did nothing. */
static int nothing_done(Session *s, int result)
{
    const int system = errno, kind = SSL_get_error(s->ssl, result);
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
        errno = EAGAIN;
        return -1;
    }
    s->failed = true;
    if (kind == SSL_ERROR_SSL && !s->reason)
        s->reason = reason_of(ERR_peek_error());
    ERR_clear_error();
    if (kind == SSL_ERROR_ZERO_RETURN || (kind == SSL_ERROR_SYSCALL && !system))
        return 0;
    errno = kind == SSL_ERROR_SYSCALL ? system : EPROTO;
    return -1;
}

/* 1: the other end has shown that it knows the key; else as `nothing_done`. */
static int shake_hands(Session *s)
{
    ERR_clear_error(); /* the program may use OpenSSL too */
    errno = s->failed ? ECONNRESET : 0;
    if (s->ready || s->failed)
        return s->failed ? -1 : 1;
    const int result = SSL_do_handshake(s->ssl);
    if (result != 1)
        return nothing_done(s, result);
    s->ready = SSL_session_reused(s->ssl) == 1;
    s->failed = !s->ready;
    s->reason = s->failed ? "it has another job's key" : NULL;
    errno = s->failed ? EPROTO : 0;
    return s->failed ? -1 : 1;
}

static int at_most(size_t bytes, int most)
{
    return bytes < (size_t)most ? (int)bytes : most;
}

static ssize_t receive(Session *s, void *to, size_t bytes, bool peek)
{
    int done = shake_hands(s);
    if (done != 1)
        return done;
    done = (peek ? SSL_peek : SSL_read)(s->ssl, to, at_most(bytes, INT_MAX));
    return done > 0 ? done : nothing_done(s, done);
}

static ssize_t give_record(Session *s, const void *from, size_t bytes)
{
    int done = shake_hands(s);
    if (done == 1) {
        done = SSL_write(s->ssl, from, at_most(bytes, RECORD_BYTES));
        done = done > 0 ? done : nothing_done(s, done);
    }
    if (done == 0)
        errno = ECONNRESET;
    if (done <= 0)
        return -1;
    if (++s->records % RECORDS_PER_KEY == 0)
        SSL_key_update(s->ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
    return done;
}

static int flush(Session *s)
{
    BIO *out = SSL_get_wbio(s->ssl);
    errno = 0;
    if (BIO_flush(out) == 1)
        return 0;
    if (BIO_should_retry(out))
        errno = EAGAIN;
    return -1;
}

static bool listens(const Session *s)
{
    return SSL_want_read(s->ssl);
}

static const char *reason(const Session *s)
{
    return s->reason;
}

PUBLIC EncryptionEntry rankwise_encryption;

const Encryption *rankwise_encryption(void)
{
    static const Encryption all = {begin, receive, give_record, flush, listens, reason, end};
    return &all;
}
