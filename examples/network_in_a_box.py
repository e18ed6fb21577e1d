"""Brings up two clusters joined by a long link, looks at the link, and runs a command on both ends."""

import rankwise

with rankwise.testbed("two-clusters") as net:
    print(net.name, "has", ", ".join(net.hosts))
    north, south = net.hosts[0], net.hosts[-1]
    for host in (north, south):
        print(host, "says", net.exec(host, "hostname").stdout.strip())
    print(net.exec(north, "cat", "/proc/sys/net/ipv4/tcp_congestion_control").stdout.strip())
