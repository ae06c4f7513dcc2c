# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-compare.rst: transports in an incast, in long flows and under loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..studies import compare_paths as paths
from ..studies.compare import derive
from .experiment import Experiment, Measured, Sweep, mean

PAGE = "study-compare"
RUNS = 6
INCAST = {"incast_senders": 16, "message_sizes": "fixed:65536", "load": 0.0}


def _runs(sweep: Sweep, topology: str, names: Sequence[str], **path: Any) -> dict[str, pd.DataFrame]:
    """Run transports on a path of the quick preset with the least memory and spread of starts."""
    path = {"topology": topology, "message_sizes": "fixed:65536", "load": 0.0, "loss": 0.0, "incast_senders": 0, **path}
    along = paths.QUICK.goes_with(topology, {name: [value] for name, value in path.items()}, ())
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


EXPERIMENTS = (
    Experiment("compare-incast", PAGE, None, incast),
    Experiment("compare-incast-window", PAGE, None, without_least_window),
    Experiment("compare-fairness", PAGE, None, fairness),
    Experiment("compare-loss", PAGE, None, loss),
)
