#include "tls.h"

#include "base/error.h"
#include "frame.h"
#include <cerrno>
#include <cstring>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr char kSuite[] = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char kSuiteNumber[] = {0x13, 0x01};
constexpr std::size_t kReadAhead = 256 << 10;
/// What is sent at once costs less than record by record.
constexpr long kWrittenTogether = 128 << 10;
/// A key is good for 2^24.5 records (RFC 8446, section 5.5).
constexpr std::uint64_t kRecordsPerKey = 1 << 22;

/// The version is in the name of the key, so that an old relay is told from a wrong key.
std::string identity_of(const std::string &name)
{
    return "rankwise-relay/" + std::to_string(kProtocol) + "/" + name;
}

const TlsContext &context_of(SSL *ssl)
{
    return *static_cast<const TlsContext *>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

SSL_SESSION *session_of(SSL *ssl, const Key &key)
{
    SSL_SESSION *session = SSL_SESSION_new();
    const SSL_CIPHER *suite = SSL_CIPHER_find(ssl, kSuiteNumber);
    if (session == nullptr || suite == nullptr ||
        SSL_SESSION_set1_master_key(session, key.data(), kKeyBytes) != 1 ||
        SSL_SESSION_set_cipher(session, suite) != 1 ||
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
        SSL_SESSION_free(session);
        return nullptr;
    }
    return session;
}

int use_key(SSL *ssl, const EVP_MD *, const unsigned char **name, std::size_t *length,
            SSL_SESSION **session)
{
    const TlsContext &context = context_of(ssl);
    *name = reinterpret_cast<const unsigned char *>(context.identity().data());
    *length = context.identity().size();
    *session = session_of(ssl, context.key());
    return *session != nullptr;
}

int find_key(SSL *ssl, const unsigned char *name, std::size_t length, SSL_SESSION **session)
{
    static const std::string version = identity_of("");
    const TlsContext &context = context_of(ssl);
    std::string_view asked(reinterpret_cast<const char *>(name), length);
    *session = nullptr;
    if (!asked.starts_with(version)) {
        ERR_raise_data(ERR_LIB_USER, 1, "it is a relay of another version");
        return 0;
    }
    asked.remove_prefix(version.size());
    const Key *const other = context.other_key(asked);
    // Whether there is a key of that name is not told: with this one it is a wrong one.
    Key unknown{};
    if (RAND_bytes(unknown.data(), static_cast<int>(unknown.size())) != 1)
        return 0;
    static_cast<Tls *>(SSL_get_app_data(ssl))->key_name(asked);
    *session = session_of(ssl, asked.empty() ? context.key() : other != nullptr ? *other : unknown);
    return *session != nullptr;
}

} // namespace

Key read_key(const std::string &text)
{
    Key key{};
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    if (text.size() != 2 * kKeyBytes)
        throw input_error("the key does not have 64 hexadecimal digits",
                          "head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \\n'");
    for (std::size_t i = 0; i < kKeyBytes; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            throw input_error("the key does not have 64 hexadecimal digits, of 0-9 and a-f");
        key[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return key;
}

TlsContext::TlsContext(const Key &key, const std::string &name, KeysByName others)
    : key_(key), identity_(identity_of(name)), others_(std::move(others)),
      context_(SSL_CTX_new(TLS_method()))
{
    SSL_CTX *const one = context_.get();
    if (one == nullptr || SSL_CTX_set_min_proto_version(one, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(one, kSuite) != 1 || SSL_CTX_set_num_tickets(one, 0) != 1)
        throw host_error("OpenSSL has no TLS 1.3 with " + std::string(kSuite));
    SSL_CTX_set_app_data(one, this);
    SSL_CTX_set_psk_use_session_callback(one, use_key);
    SSL_CTX_set_psk_find_session_callback(one, find_key);
    SSL_CTX_set_session_cache_mode(one, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(one, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(one, 1);
    SSL_CTX_set_default_read_buffer_len(one, kReadAhead);
}

Tls::Tls(const TlsContext &context, int socket, bool accepts) : ssl_(SSL_new(context.get()))
{
    if (ssl_ == nullptr)
        throw StreamError("out of memory for TLS");
    SSL_set_app_data(ssl_.get(), this);
    attach(socket);
    if (accepts) {
        SSL_set_accept_state(ssl_.get());
        return;
    }
    // No certificate is ever good: whoever has not got the key is nobody.
    SSL_set_verify(ssl_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_set_connect_state(ssl_.get());
}

void Tls::attach(int socket)
{
    BIO *const end = BIO_new_socket(socket, BIO_NOCLOSE);
    BIO *const buffer = BIO_new(BIO_f_buffer());
    if (end == nullptr || buffer == nullptr ||
        BIO_set_write_buffer_size(buffer, kWrittenTogether) != 1 || BIO_up_ref(end) != 1)
        throw StreamError("out of memory for TLS");
    SSL_set0_rbio(ssl_.get(), end);
    SSL_set0_wbio(ssl_.get(), BIO_push(buffer, end));
}

std::string Tls::reason(int result) const
{
    const int system = errno;
    const int kind = SSL_get_error(ssl_.get(), result);
    const unsigned long error = ERR_peek_error();
    if (ERR_GET_LIB(error) == ERR_LIB_USER)
        return "it is a relay of another version";
    const int why = ERR_GET_REASON(error);
    if (ERR_GET_LIB(error) == ERR_LIB_SSL &&
        (why == SSL_R_BINDER_DOES_NOT_VERIFY || why == SSL_R_NO_SHARED_CIPHER ||
         why == SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM || why == SSL_R_CERTIFICATE_VERIFY_FAILED ||
         why == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER || why == SSL_R_TLSV1_ALERT_DECRYPT_ERROR))
        return "it has another key";
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && why != SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        const char *const words = ERR_reason_error_string(error);
        return std::string("TLS says: ") + (words ? words : "unknown error");
    }
    if (kind == SSL_ERROR_SYSCALL && system != 0)
        return std::strerror(system);
    return "it closed the stream";
}

bool Tls::shake_hands()
{
    ERR_clear_error();
    errno = 0;
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) {
        if (SSL_session_reused(ssl_.get()) != 1)
            throw StreamError("it has another key");
        return true;
    }
    const int kind = SSL_get_error(ssl_.get(), result);
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE)
        return false;
    throw StreamError(reason(result));
}

std::size_t Tls::read(std::span<std::uint8_t> to)
{
    ERR_clear_error();
    errno = 0;
    const int result = SSL_read(ssl_.get(), to.data(), static_cast<int>(to.size()));
    if (result > 0)
        return static_cast<std::size_t>(result);
    const int kind = SSL_get_error(ssl_.get(), result);
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE)
        return 0;
    if (kind == SSL_ERROR_ZERO_RETURN)
        throw Farewell("it has ended");
    throw StreamError(reason(result));
}

bool Tls::flush()
{
    ERR_clear_error();
    errno = 0;
    BIO *const out = SSL_get_wbio(ssl_.get());
    if (BIO_flush(out) == 1)
        return true;
    if (BIO_should_retry(out))
        return false;
    throw StreamError(errno != 0 ? std::strerror(errno) : "it closed the stream");
}

void Tls::close()
{
    if (SSL_is_init_finished(ssl_.get())) {
        SSL_shutdown(ssl_.get());
        BIO_flush(SSL_get_wbio(ssl_.get()));
    }
    ERR_clear_error();
}

bool Tls::write(std::span<const std::uint8_t> from)
{
    ERR_clear_error();
    errno = 0;
    const int result = SSL_write(ssl_.get(), from.data(), static_cast<int>(from.size()));
    if (result > 0) {
        if (++records_ % kRecordsPerKey == 0)
            SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
        return true;
    }
    const int kind = SSL_get_error(ssl_.get(), result);
    if (kind == SSL_ERROR_WANT_WRITE || kind == SSL_ERROR_WANT_READ)
        return false;
    throw StreamError(reason(result));
}

} // namespace rankwise::relay
