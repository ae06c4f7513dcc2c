# SPDX-License-Identifier: GPL-2.0-only
"""What to sweep: a scenario of one's own, and what reads the words of a program.

``./iwarp sweep --function examples/iwarp-sweep.py:simulate slow=1Gbps,5Gbps --runs 3 --show goodput``
"""

import iwarp

iwarp.load()  # once, for all of the runs, which are forked from this process


def simulate(slow: str = "1Gbps", hosts: int = 4, run: int = 1) -> dict:
    """Run RDMA Writes round a ring, one of whose links is slow, and return what it was about."""

    def ring(network, pairs, link, access):
        routers = [network.AddRouter() for _ in range(int(hosts))]
        for router in routers[1:]:
            network.AddLink(router - 1, router, link)
        link.rate = type(link.rate)(slow)
        network.AddLink(routers[-1], routers[0], link)
        ends = [network.AddHost(router, access) for router in routers]
        return [(ends[i], ends[(i + 1) % len(ends)]) for i in range(pairs)]

    result = iwarp.run(topology=ring, flows=int(hosts), workload="rdma-write", loss=0.001, plain_tcp=False,
                       octets=2_000_000, run=run)  # fmt: skip
    return {"goodput": result["goodput"], "message_time": result["message_time_mean"]}


def read(output: str) -> dict:
    """Read what examples/iwarp-loss-reordering.cc prints."""
    said = dict(line.rsplit(maxsplit=1) for line in output.splitlines())
    return {"octets_held": iwarp.Quantity(float(said["most octets held"]), "octets"),
            "out_of_order": int(said["of these out of order"])}  # fmt: skip


if __name__ == "__main__":
    table = iwarp.sweep(simulate, {"slow": ["1Gbps", "5Gbps"]}, runs=3)
    print(table.groupby("slow")["goodput"].describe()[["mean", "std"]])
