/* Messages over a plain TCP connection, and what the system tells of it. */
#define _GNU_SOURCE
#include "tcp.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

static size_t stream_bytes(const Cell *c)
{
    return c->payload_bytes ? c->payload_bytes : 1;
}

void tcp_send(Cell *c)
{
    Connection *connection = c->state;
    const int fd = connection->fd;
    for (size_t done = 0; done < stream_bytes(c);) {
        const ssize_t sent = send(fd, c->send + done, stream_bytes(c) - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            end_job(c->job, strerror(errno));
        done += sent > 0 ? (size_t)sent : 0;
    }
    connection->sent_messages++;
}

void tcp_receive(Cell *c)
{
    const int fd = ((const Connection *)c->state)->fd;
    for (size_t done = 0; done < stream_bytes(c);) {
        const ssize_t got = recv(fd, c->receive + done, stream_bytes(c) - done, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            end_job(c->job, got ? strerror(errno) : "the TCP connection was closed");
        done += got > 0 ? (size_t)got : 0;
    }
}

static struct tcp_info info_of(const Cell *c)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(((const Connection *)c->state)->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        end_job(c->job, strerror(errno));
    return info;
}

long tcp_sent_messages(const Cell *c)
{
    return ((const Connection *)c->state)->sent_messages;
}

double tcp_timeout_seconds(const Cell *c)
{
    return info_of(c).tcpi_rto * 1e-6;
}

static void read_info(Cell *c, double values[MOST_GAUGES])
{
    const struct tcp_info info = info_of(c);
    values[0] = (double)info.tcpi_snd_cwnd * info.tcpi_snd_mss;
    values[1] = info.tcpi_rtt * 1e-6;
    values[2] = info.tcpi_total_retrans;
}

const Gauges tcp_gauges = {
    .count = 3,
    .quantities = {"congestion window", "round trip", "retransmits"},
    .read = read_info,
};
