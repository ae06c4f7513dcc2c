# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-compare.rst: transports in an incast, in long flows and under loss."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..studies import compare_paths as paths
from ..studies.compare import derive
from .experiment import Experiment, Measured, Sweep, mean

PAGE = "study-compare"
RUNS = 6
#: the quick preset, with messages enough under loss on the fat tree too
_SCALE = replace(paths.QUICK, lossy=paths.FULL.lossy)
INCAST = {"incast_senders": 16, "message_sizes": "fixed:65536", "load": 0.0}


def _runs(sweep: Sweep, topology: str, names: Sequence[str], **path: Any) -> dict[str, pd.DataFrame]:
    """Run transports on a path of the quick preset with the least memory and spread of starts."""
    path = {"topology": topology, "message_sizes": "fixed:65536", "load": 0.0, "loss": 0.0, "incast_senders": 0, **path}
    along = _SCALE.goes_with(topology, {name: [value] for name, value in path.items()}, ())
    grid = [{**paths.BASE, **along, **path, **paths.TRANSPORTS[name]} for name in names]
    return dict(iter(derive(sweep(grid, RUNS)).groupby("transport")))


def incast(sweep: Sweep) -> Measured:
    runs = _runs(sweep, "star", (*paths.MAIN, "RoCE without DCQCN", "iWARP with CUBIC"), incast_senders=16)
    figures = {"iwarp": paths.OURS, "roce": "RoCE", "irn": "IRN", "cubic": "iWARP with CUBIC"}
    return {
        **{f"compare-incast-{figure}": mean(runs[name]["slowdown_p99"]) for figure, name in figures.items()},
        "compare-incast-paused": mean(runs["RoCE"]["host_pause_share"], 100),
        "compare-incast-paused-alone": mean(runs["RoCE without DCQCN"]["host_pause_share"], 100),
    }


def without_least_window(sweep: Sweep) -> Measured:
    """As ns-3's DCTCP is: windows go below two segments, of which a lone one waits for its receiver's ACK timer."""
    along = paths.QUICK.goes_with("star", {name: [value] for name, value in INCAST.items()}, ())
    ours = {**paths.BASE, **along, **INCAST, "topology": "star", **paths.TRANSPORTS[paths.OURS],
            "TcpDctcpMinCwnd.MinCwnd": 0}  # fmt: skip
    runs = {"waiting": ours, "prompt": {**ours, "delayed_ack": "1us"}}
    return {f"compare-incast-iwarp-{figure}": mean(sweep(run, RUNS)["slowdown_p99"]) for figure, run in runs.items()}


def fairness(sweep: Sweep) -> Measured:
    senders = paths.QUICK.hosts("leaf-spine") - 1
    runs = _runs(sweep, "leaf-spine", (*paths.MAIN, "RoCE without DCQCN"), incast_senders=senders)
    figures = {"iwarp": paths.OURS, "roce": "RoCE", "irn": "IRN", "alone": "RoCE without DCQCN"}
    return {f"compare-fairness-{figure}": mean(runs[name]["common_fairness"]) for figure, name in figures.items()}


def loss(sweep: Sweep) -> Measured:
    """Of RoCE's runs some have too many messages that do not end for a 99th percentile."""
    path = {"message_sizes": paths.STORAGE, "load": 0.3, "loss": 0.01}
    runs = _runs(sweep, "leaf-spine", (paths.OURS, "IRN"), **path)
    return {f"compare-loss-{figure}": mean(runs[name]["slowdown_p99"])
            for figure, name in (("iwarp", paths.OURS), ("irn", "IRN"))}  # fmt: skip


def loss_on_fat_tree(sweep: Sweep) -> Measured:
    runs = _runs(sweep, "fat-tree", paths.MAIN, message_sizes=paths.STORAGE, load=0.3, loss=0.001)
    figures = {"iwarp": paths.OURS, "roce": "RoCE", "irn": "IRN"}
    return {f"compare-loss-fat-tree-{figure}": mean(runs[name]["slowdown_p99"]) for figure, name in figures.items()}


def bystander(sweep: Sweep) -> Measured:
    """An incast between leaves, beside which a host of the senders' leaf has short messages for another receiver."""
    rounds, senders, size, small = 10, (0, 1, 2, 4, 5, 6, 7), 262_144, 4096
    interval = paths.incast_interval(len(senders), size)
    messages = [(i * interval + 1e-6 * place, sender, 8, size)
                for i in range(rounds) for place, sender in enumerate(senders)]  # fmt: skip
    every = 8 * small / (0.2 * paths.RATE)
    messages += [(i * every, 3, 9, small) for i in range(int(rounds * interval / every))]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        pd.DataFrame(sorted(messages), columns=["time", "source", "destination", "octets"]).to_csv(file, index=False)
        file.flush()
        shape = {"topology": "leaf-spine", "leaves": 3, "spines": 2, "hosts_per_leaf": 4,
                 "buffer_size": 6 * paths.SHALLOW}  # fmt: skip
        arrivals = {"arrivals": f"file:{file.name}", "arrival_window": rounds * interval, "drain_limit": "20ms",
                    "connections": "pool", "flows": 4}  # fmt: skip
        base = {name: value for name, value in paths.BASE.items() if name not in ("message_sizes", "load")}
        figures = {"iwarp": paths.OURS, "roce": "RoCE", "irn": "IRN", "alone": "RoCE without DCQCN"}
        runs = {figure: sweep({**base, **shape, **arrivals, **paths.TRANSPORTS[name]}, RUNS)
                for figure, name in figures.items()}  # fmt: skip
    return {
        **{f"compare-bystander-{figure}": mean(found[f"size_slowdown_p99_{small}"]) for figure, found in runs.items()},
        "compare-bystander-paused": mean(runs["roce"]["victim_pause_share"], 100),
        "compare-bystander-paused-alone": mean(runs["alone"]["victim_pause_share"], 100),
    }


EXPERIMENTS = (
    Experiment("compare-incast", PAGE, 0.11, incast),
    Experiment("compare-incast-window", PAGE, 0.06, without_least_window),
    Experiment("compare-fairness", PAGE, 0.25, fairness),
    Experiment("compare-loss", PAGE, 0.3, loss),
    Experiment("compare-loss-fat-tree", PAGE, 1.3, loss_on_fat_tree),
    Experiment("compare-bystander", PAGE, 0.4, bystander),
)
