#include "netlink.h"

#include "base/descriptor.h"
#include "base/error.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

namespace rankwise::netlink
{

namespace
{

/// One request, built in place; attributes follow the header.
class Message
{
  public:
    Message(std::uint16_t type, std::uint16_t flags)
    {
        nlmsghdr header{};
        header.nlmsg_type = type;
        header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
        append(&header, sizeof header);
    }

    template <typename T> void body(const T &value)
    {
        append(&value, sizeof value);
    }

    void attribute(std::uint16_t type, const void *data, std::size_t bytes)
    {
        const rtattr header{static_cast<std::uint16_t>(RTA_LENGTH(bytes)), type};
        append(&header, sizeof header);
        append(data, bytes);
    }

    template <typename T> void attribute(std::uint16_t type, const T &value)
    {
        attribute(type, &value, sizeof value);
    }

    std::size_t begin_nest(std::uint16_t type)
    {
        const std::size_t at = used_;
        attribute(type, nullptr, 0);
        return at;
    }

    void end_nest(std::size_t at)
    {
        const auto bytes = static_cast<std::uint16_t>(used_ - at);
        std::memcpy(bytes_.data() + at, &bytes, sizeof bytes);
    }

    /// 0, or the errno that the kernel answers.
    int send()
    {
        const auto length = static_cast<std::uint32_t>(used_);
        std::memcpy(bytes_.data(), &length, sizeof length);
        const Descriptor file(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
        if (file.number() < 0 || ::send(file.number(), bytes_.data(), used_, 0) < 0)
            return errno;
        struct {
            nlmsghdr header;
            nlmsgerr error;
            std::array<char, 1024> rest;
        } answer{};
        if (recv(file.number(), &answer, sizeof answer, 0) < 0)
            return errno;
        return answer.header.nlmsg_type == NLMSG_ERROR ? -answer.error.error : EPROTO;
    }

  private:
    void append(const void *data, std::size_t bytes)
    {
        if (bytes > 0)
            std::memcpy(bytes_.data() + used_, data, bytes);
        used_ += NLMSG_ALIGN(bytes);
    }

    alignas(nlmsghdr) std::array<char, 512> bytes_{}; // more than any request here needs
    std::size_t used_ = 0;
};

int index_of(const std::string &interface)
{
    const unsigned int index = if_nametoindex(interface.c_str());
    if (index == 0)
        throw system_error("finding the interface " + interface);
    return static_cast<int>(index);
}

} // namespace

void set_segment_limit(const std::string &interface, int bytes)
{
    ifinfomsg link{};
    link.ifi_index = index_of(interface);
    Message message(RTM_NEWLINK, 0);
    message.body(link);
    message.attribute(IFLA_GSO_MAX_SIZE, static_cast<std::uint32_t>(bytes));
    errno = message.send();
    if (errno != 0)
        throw system_error("setting gso_max_size of " + interface + " to " + std::to_string(bytes));
}

bool shape(const std::string &interface, const Shaping &shaping)
{
    constexpr double most_in_32_bits = 4294967295.0;
    const double rate = shaping.rate_bytes_per_second;
    tc_tbf_qopt options{};
    options.rate.linklayer = TC_LINKLAYER_ETHERNET; // so no table of transmission times is needed
    options.rate.overhead = shaping.overhead_bytes;
    options.rate.rate = static_cast<std::uint32_t>(rate < most_in_32_bits ? rate : most_in_32_bits);
    options.limit = shaping.limit_bytes;

    tcmsg discipline{};
    discipline.tcm_ifindex = index_of(interface);
    discipline.tcm_parent = TC_H_ROOT;
    discipline.tcm_handle = 0x10000;
    Message message(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);
    message.body(discipline);
    message.attribute(TCA_KIND, "tbf", 4);
    const std::size_t nest = message.begin_nest(TCA_OPTIONS);
    message.attribute(TCA_TBF_PARMS, options);
    message.attribute(TCA_TBF_BURST, shaping.burst_bytes);
    if (rate >= most_in_32_bits)
        message.attribute(TCA_TBF_RATE64, static_cast<std::uint64_t>(rate));
    message.end_nest(nest);
    errno = message.send();
    if (errno == ENOENT)
        return false;
    if (errno != 0)
        throw system_error("shaping " + interface + " with tbf");
    return true;
}

} // namespace rankwise::netlink
