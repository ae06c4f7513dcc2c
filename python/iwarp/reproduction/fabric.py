# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-fabric.rst: transports with and without pauses, on a star and on a leaf-spine."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from ..studies.fabric import GO_BACK_N, SELECTIVE, STUDY, XOFF, derive
from .experiment import Experiment, Measured, Sweep, mean

PAGE = "study-fabric"
TRANSPORTS = ((GO_BACK_N, 0), (SELECTIVE, 0), (GO_BACK_N, XOFF), ("rdma-write", 0))
OURS, LOSSY, SELECTED, PAUSED = (
    "iWARP aligned, DCTCP", "Go-back-N, lossy", "Selective repeat, lossy", "Go-back-N, PFC",
)  # fmt: skip


def on(sweep: Sweep, topology: str, transports: Sequence[tuple[str, int]] = TRANSPORTS) -> dict[str, pd.DataFrame]:
    """Run workloads with and without pauses on a network of the quick preset; return the runs of each transport."""
    preset = STUDY.presets["quick"]
    fixed = {**preset.fixed, "topology": topology, **preset.special["topology", topology], "alignment": True}
    grid = [{**fixed, "workload": w, "pfc_xoff": xoff, "congestion_control": "TcpDctcp"} for w, xoff in transports]
    return dict(iter(derive(sweep(grid, 6)).groupby("transport")))  # all with the smallest queue


def star(sweep: Sweep) -> Measured:
    runs = on(sweep, "star")
    slowdown = {name: mean(part["slowdown_p99"]) for name, part in runs.items()}
    return {
        "fabric-go-back-n": slowdown[LOSSY],
        "fabric-selective-repeat": slowdown[SELECTED],
        "fabric-pause": slowdown[PAUSED],
        "fabric-paused": mean(runs[PAUSED]["pause_share"], 100),
        "fabric-iwarp": slowdown[OURS],
        "an incast with pauses loses nothing, nor one by iWARP": all(
            runs[name]["queue_drops"].sum() == 0 for name in (PAUSED, OURS)
        ),
    }


def leaf_spine(sweep: Sweep) -> Measured:
    """Of go-back-N's runs over links that drop, some have too many messages that do not end for a 99th percentile."""
    runs = on(sweep, "leaf-spine")
    figures = {"iwarp": OURS, "selective-repeat": SELECTED, "pause": PAUSED}
    return {
        **{f"fabric-leaf-{figure}": mean(runs[name]["slowdown_p99"]) for figure, name in figures.items()},
        "fabric-leaf-paused": mean(runs[PAUSED]["pause_share"], 100),
        "fabric-leaf-resent": mean(runs[LOSSY]["resent_share"], 100),
        "fabric-leaf-repeated": mean(runs[SELECTED]["resent_share"], 100),
    }


EXPERIMENTS = (Experiment("fabric-star", PAGE, 0.1, star), Experiment("fabric-leaf-spine", PAGE, 1.0, leaf_spine))
