#include "call.h"

#include "base/byte_order.h"
#include <algorithm>
#include <cstring>
#include <openssl/crypto.h>

namespace rankwise::relay
{

namespace
{

bool makes_sense(const Call &call)
{
    const bool has_port = call.port != 0, has_key = call.port_key.size() == kPortKeyDigits;
    switch (call.wish) {
    case Call::Wish::listens:
        return has_port && call.port_key.empty();
    case Call::Wish::connect:
        return !has_port && call.port_key.empty();
    case Call::Wish::let_in:
        return has_key;
    case Call::Wish::visit:
        return has_port && has_key && call.address != 0;
    }
    return false;
}

} // namespace

Call read_call(const std::uint8_t *from, const std::string &job_key)
{
    if (std::memcmp(from, "rankgate", 8) != 0)
        throw ProtocolError("it is neither a relay nor a process of this job");
    if (get32(from + 8) != kProtocol)
        throw ProtocolError("it is a process with another version of the relays' protocol");
    std::array<std::uint8_t, kJobKeyBytes> key{};
    std::copy_n(job_key.begin(), std::min(job_key.size(), key.size()), key.begin());
    if (CRYPTO_memcmp(from + 32, key.data(), key.size()) != 0)
        throw ProtocolError("it is of another job");
    const std::uint32_t wish = get32(from + 12), meeting = get32(from + 24),
                        port = get32(from + 28);
    Call call;
    call.wish = static_cast<Call::Wish>(wish);
    call.site = get32(from + 16);
    call.target = target_of(std::uint64_t{get32(from + 20)} * 2 + (meeting == 1 ? 1 : 0));
    call.port = static_cast<std::uint16_t>(port);
    const auto *const port_key = reinterpret_cast<const char *>(from + 32 + kJobKeyBytes);
    call.port_key.assign(port_key, ::strnlen(port_key, kJobKeyBytes));
    call.address = get32(from + 32 + 2 * kJobKeyBytes);
    if (meeting > 1 || port > UINT16_MAX || !makes_sense(call))
        throw ProtocolError("what it asks for makes no sense");
    return call;
}

} // namespace rankwise::relay
