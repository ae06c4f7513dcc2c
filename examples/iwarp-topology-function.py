# SPDX-License-Identifier: GPL-2.0-only
"""A ring of four routers, one of whose links is slow: RDMA Writes to the next host, with an RNIC."""

import iwarp


def ring(network, pairs, link, access):
    """Build it: a host at each router sends to the next one."""
    routers = [network.AddRouter() for _ in range(4)]
    for router in routers[:3]:
        network.AddLink(router, router + 1, link)
    link.rate = type(link.rate)("1Gbps")
    network.AddLink(routers[3], routers[0], link)
    hosts = [network.AddHost(router, access) for router in routers]
    return [(hosts[i % 4], hosts[(i + 1) % 4]) for i in range(pairs)]


if __name__ == "__main__":
    result = iwarp.run(topology=ring, flows=4, workload="rdma-write", rnic="t5-like", plain_tcp=False)
    for name in ("goodput", "duration", "message_time_mean"):
        print(f"{name} = {result[name]}")
