# SPDX-License-Identifier: GPL-2.0-only
"""A network that a function of Python's builds."""

import iwarp
import pytest


def ring(network, pairs, link, access):
    """Build a ring of four routers with a host each; hosts send to the next one."""
    routers = [network.AddRouter() for _ in range(4)]
    for i in routers:
        network.AddLink(i, (i + 1) % 4, link)
    hosts = [network.AddHost(router, access) for router in routers]
    return [(hosts[i % 4], hosts[(i + 1) % 4]) for i in range(pairs)]


SHORT = {"octets": 100_000, "plain_tcp": False, "start_spread": "0s", "message_sizes": "fixed:100000"}


def test_a_function_builds_the_network():
    result = iwarp.run(topology=ring, flows=4, delay="1ms", access_delay="0s", workload="rdma-write", **SHORT)
    assert result.params["topology"] == "function:ring"
    assert result["payload_octets"] == 4 * 100_000
    # connecting, the MPA startup and slow start from 10 segments, 5 round trips and a half, of 2 ms each, at most 1 ms
    # beside
    assert 2e-3 * 5.5 <= result["duration"] <= 2e-3 * 5.5 + 1e-3


def test_it_is_as_the_topology_of_that_name():
    def dumbbell(network, pairs, link, access):
        left, right = network.AddRouter(), network.AddRouter()
        network.AddLink(left, right, link)
        ends = []
        for _ in range(pairs):
            sender = network.AddHost(left, access)
            ends.append((sender, network.AddHost(right, access)))
        return ends

    own = iwarp.run(topology=dumbbell, flows=3, loss=0.01, **SHORT)
    assert dict(own) == dict(iwarp.run(topology="dumbbell", flows=3, loss=0.01, **SHORT))


def test_errors_of_the_function_are_told():
    def broken(network, pairs, link, access):
        raise ValueError("there is no such city")

    with pytest.raises(iwarp.RunError, match="there is no such city"):
        iwarp.run(topology=broken, **SHORT)

    def nowhere(network, pairs, link, access):
        network.AddRouter()
        return [(0, 1)]

    with pytest.raises(iwarp.RunError, match="topology: its pair 0-1 is not two of its 0 hosts"):
        iwarp.run(topology=nowhere, **SHORT)
    with pytest.raises(iwarp.RunError, match="topology: it made 1 pairs of hosts where 2 are needed"):
        iwarp.run(topology=nowhere, flows=2, **SHORT)

    with pytest.raises(iwarp.UsageError, match="none of"):
        iwarp.run(topology="no such")
