# SPDX-License-Identifier: GPL-2.0-only
"""Transports of the compare study: figures of the page on studies (doc/python.rst), run again."""

from documented import check, sweep
from iwarp.studies import compare
from iwarp.studies import compare_paths as paths

RUNS = 6


def means_of(topology, names, **path):
    """Run transports on a path of the quick preset with the least memory and spread of starts; return their means."""
    path = {"topology": topology, "message_sizes": "fixed:65536", "load": 0.0, "loss": 0.0, "incast_senders": 0, **path}
    along = paths.QUICK.goes_with(topology, {name: [value] for name, value in path.items()}, ())
    grid = [{**paths.BASE, **along, **path, **paths.TRANSPORTS[name]} for name in names]
    return compare.derive(sweep(grid, RUNS)).groupby("transport").mean(numeric_only=True)


def test_an_incast_has_roce_pause_and_dctcp_wait():
    means = means_of("star", (*paths.MAIN, "RoCE without DCQCN", "iWARP with CUBIC"), incast_senders=16)
    for figure, transport in (
        ("iwarp", paths.OURS), ("roce", "RoCE"), ("irn", "IRN"), ("cubic", "iWARP with CUBIC"),
    ):  # fmt: skip
        check(f"compare-incast-{figure}", means.loc[transport, "slowdown_p99"])
    check("compare-incast-paused", 100 * means.loc["RoCE", "host_pause_share"])
    check("compare-incast-paused-alone", 100 * means.loc["RoCE without DCQCN", "host_pause_share"])


def test_an_incast_of_dctcp_waits_for_delayed_acknowledgements():
    """ns-3's DCTCP has no least window of two segments: a lone segment waits for its receiver's ACK timer."""
    path = {"incast_senders": 16, "message_sizes": "fixed:65536", "load": 0.0}
    along = paths.QUICK.goes_with("star", {name: [value] for name, value in path.items()}, ())
    ours = {**paths.BASE, **along, **path, "topology": "star", **paths.TRANSPORTS[paths.OURS]}
    check("compare-incast-iwarp-prompt", sweep({**ours, "delayed_ack": "1us"}, RUNS)["slowdown_p99"].mean())


def test_long_flows_share_a_leaf_spine():
    senders = paths.QUICK.hosts("leaf-spine") - 1
    means = means_of("leaf-spine", (*paths.MAIN, "RoCE without DCQCN"), incast_senders=senders)
    for figure, transport in (
        ("iwarp", paths.OURS), ("roce", "RoCE"), ("irn", "IRN"), ("alone", "RoCE without DCQCN"),
    ):  # fmt: skip
        check(f"compare-fairness-{figure}", means.loc[transport, "common_fairness"])


def test_random_loss_lengthens_tails():
    """Of RoCE's runs some have too many messages that do not end for a 99th percentile."""
    means = means_of("leaf-spine", (paths.OURS, "IRN"), message_sizes=paths.STORAGE, load=0.3, loss=0.01)
    for figure, transport in (("iwarp", paths.OURS), ("irn", "IRN")):
        check(f"compare-loss-{figure}", means.loc[transport, "slowdown_p99"])
