#include "help.h"

namespace rankwise
{

const char *const usage = "rankwise-link NETWORK [--control SOCKET] --namespace NODE=PATH...";
const char *const manual = R"(NAME
    rankwise-link - emulate the links between nodes that are network namespaces

SYNOPSIS
    rankwise-link NETWORK [--control SOCKET] --namespace NODE=PATH...

DESCRIPTION
    Makes a NIC `eth0` in each node's network namespace and switches Ethernet frames between them,
    through links that have a rate, a queue, a delay, jitter and loss, until SIGTERM or SIGINT. Prints `ready`
    once the NICs are up, before that a line for each warning, and after it why it ended if nobody asked it to,
    as when a node's NIC is deleted. The NICs, and all that is set on them, are gone when it ends, however it ends.

    NETWORK             the description, see below
    --namespace NODE=PATH...
                        where a node is: /proc/PID/ns/net or /run/netns/NAME; every node needs one
    --control SOCKET    also listen for commands on this UNIX socket
    --version           print the version of Rankwise that this belongs to
    --help              this text

    Needs /dev/net/tun, readable and writable, and CAP_NET_ADMIN and CAP_SYS_ADMIN in the user namespace that owns
    the nodes' namespaces; root has these, and so has whoever made a user namespace. SCHED_FIFO is used where it
    is allowed. So is /dev/cpu_dma_latency: while there is traffic, idle processors poll instead of sleeping, since
    to wake up from a deep sleep takes longer than a switch does.

NETWORK
    Words separated by blanks; # begins a comment. Rates are bits per second, times nanoseconds, sizes bytes.

    link NAME RATE DELAY QUEUE JITTER uniform|normal|exponential LOSS BURST
        One direction of a link. Paths may share it. A packet meets, in this order,
        loss      the share LOSS of all packets, each by itself (BURST 1) or in runs of BURST packets on average
                  (a Gilbert chain; the lengths are geometric);
        rate      a queue of QUEUE bytes with tail drop, served first in, first out at RATE; 0: unlimited, and
                  without a queue;
        delay     DELAY plus jitter: uniform within +-JITTER, normal with the standard deviation JITTER, or
                  exponential with the mean JITTER; never below 0. Jitter does not reorder, here or at a later
                  link: a packet that would overtake another follows it. So where packets follow one another
                  more closely than the jitter is wide, they gather behind the slowest.
    node NAME SITE ADDRESS/BITS OUT_LINK IN_LINK
        Its NIC has this IPv4 address and a permanent ARP entry for each other node. All share one subnet.
    route SITE SITE [LINK...]
        The links between the NICs, from the first site to the second; the same site twice: its switch.
        A packet takes its node's out link, these, and the destination's in link.
    setting ...
        Is for rankwise-nodes, and ignored here.

    option mtu BYTES                1500
    option segment_limit BYTES      65536
        The largest super-packet that a node hands to its NIC (gso_max_size); the MTU: none, every packet is
        switched by itself. On links a super-packet is its segments: each has headers, checksum, preamble and
        gap (24 bytes besides the frame, which has at least 60), each can be lost or dropped by itself, and the
        first leaves a link before the last has come. A node whose out link's QUEUE is small gets a limit of half
        of that.
    option served_queues 0|1        1
        1: out links decide what to send when it is time to, and the node feels that its NIC is busy: tbf (token
        bucket filter), set on the NIC a trifle below RATE, keeps the packets in the node, where TCP counts them,
        and the NIC is not read while its QUEUE is full. 0: packets are charged when they arrive, and what exceeds
        QUEUE is dropped.
    option acknowledgements_first 0|1   0
        TCP packets without payload overtake others on out links. Then without tbf, which would queue them all.
    option bus FACTOR               0
        Both directions of a NIC together have FACTOR times its out link's rate, and receiving comes first.
        0: no limit. Then without tbf, because the rate left for sending changes.
    option realtime PRIORITY        50
        Of SCHED_FIFO; 0: without.
    option spin NANOSECONDS         100000
        At most so long before a delivery the emulator waits busily instead of sleeping; it learns how much of
        it is needed, less on paths of 2 ms and more, where usual lateness is below 1 % of the delay.
    option seed NUMBER
        Of loss and jitter; without it, another one each time.

COMMANDS
    One a line on the control socket; one line comes back, `ok`, `error ...` or the counters.

    counters    as JSON: of each link the packets and bytes that entered its queue (as on the wire), packets dropped
                at the full queue, packets lost, and the largest queue; packets delivered; frames that were
                unknown (to a MAC address that nobody has), malformed, or undeliverable (a NIC was down); the
                lateness, delivered minus due; processor and elapsed time; whether SCHED_FIFO is in force,
                and whether deep sleep of processors is avoided
    reset       sets them all to 0
    down LINK   what enters the link is lost from now on; what is in it still arrives
    up LINK     ends that

EXIT STATUS
    0 ended by a signal, 2 wrong words or description, 3 this machine lacks or refuses something.

EXAMPLE
    Two nodes, 1 Gbit/s, 11.6 ms there and back:

        link a.out 1e9 0 1000000 0 normal 0 1
        link a.in  1e9 0 1000000 0 normal 0 1
        link b.out 1e9 0 1000000 0 normal 0 1
        link b.in  1e9 0 1000000 0 normal 0 1
        link there 1e9 5800000 1500000 0 normal 0 1
        link back  1e9 5800000 1500000 0 normal 0 1
        node a rennes 10.9.0.1/24 a.out a.in
        node b nancy  10.9.0.2/24 b.out b.in
        route rennes nancy there
        route nancy rennes back

    unshare -n sleep 1h & A=$!;  unshare -n sleep 1h & B=$!
    rankwise-link two.txt --namespace a=/proc/$A/ns/net b=/proc/$B/ns/net &
    nsenter -n -t $A ping 10.9.0.2
)";

} // namespace rankwise
