// TLS 1.3 between relays, with a key that both were given: there are no certificates.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <openssl/ssl.h>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rankwise::relay
{

inline constexpr std::size_t kKeyBytes = 32;
using Key = std::array<std::uint8_t, kKeyBytes>;

/// 64 hexadecimal digits. Throws Error of the input.
Key read_key(const std::string &text);

/// A stream cannot go on; says why.
class StreamError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// The other side has taken its leave.
class Farewell : public StreamError
{
    using StreamError::StreamError;
};

class TlsContext
{
  public:
    /// NULL: there is none of that name.
    using KeysByName = std::function<const Key *(std::string_view)>;

    /// Shows the key, by its name; lets in who has that one, or one of those `others`.
    explicit TlsContext(const Key &key, const std::string &name = "", KeysByName others = nullptr);
    SSL_CTX *get() const
    {
        return context_.get();
    }
    const Key &key() const
    {
        return key_;
    }
    const std::string &identity() const
    {
        return identity_;
    }
    const Key *other_key(std::string_view name) const
    {
        return others_ ? others_(name) : nullptr;
    }

  private:
    struct Free {
        void operator()(SSL_CTX *context) const
        {
            SSL_CTX_free(context);
        }
    };
    Key key_;
    std::string identity_;
    KeysByName others_;
    std::unique_ptr<SSL_CTX, Free> context_;
};

/// The TLS of one socket, which never blocks. What fails throws StreamError.
class Tls
{
  public:
    Tls(const TlsContext &context, int socket, bool accepts);
    Tls(const Tls &) = delete;
    Tls &operator=(const Tls &) = delete;

    /// False: it waits for the other side.
    bool shake_hands();
    /// How many bytes came; 0: nothing now.
    std::size_t read(std::span<std::uint8_t> to);
    /// True: it is taken, and goes out at the next flush at the latest. False: to be repeated when
    /// the socket takes more.
    bool write(std::span<const std::uint8_t> from);
    /// False: the socket takes no more now.
    bool flush();
    /// Of the key that the other side has shown: empty for the context's own.
    const std::string &key_name() const
    {
        return key_name_;
    }
    void key_name(std::string_view name)
    {
        key_name_ = name;
        key_was_shown_ = true;
    }
    /// The other side began with a key, and the handshake has not failed.
    bool key_was_shown() const
    {
        return key_was_shown_;
    }
    /// Take leave, so that the other side does not believe in a broken link.
    void close();

  private:
    struct Free {
        void operator()(SSL *ssl) const
        {
            SSL_free(ssl);
        }
    };
    void attach(int socket);
    std::string reason(int result) const;

    std::unique_ptr<SSL, Free> ssl_;
    std::string key_name_;
    bool key_was_shown_ = false;
    std::uint64_t records_ = 0;
};

} // namespace rankwise::relay
