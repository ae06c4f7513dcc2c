# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-compute.rst, doc/study-window.rst and of one pipe in doc/rnic.rst: operations, contexts off
chip, windows."""

from __future__ import annotations

import functools

from ..studies import compute, window
from .experiment import Experiment, Measured, Sweep, mean

QUEUE_PAIRS = {2000: 10, 5000: 5}  #: messages of each, by queue pairs

MINUTES = {2000: 0.3, 5000: 0.5}  #: of a processor, by queue pairs


def operations(sweep: Sweep) -> Measured:
    runs = sweep.of_study(compute.STUDY, alignment=[True, False], markers=True)
    aligned, unaligned = (runs[runs["alignment"] == a] for a in (True, False))
    return {
        "operations-aligned": mean(aligned["operations_per_fpdu"]),
        "operations-unaligned": mean(unaligned["operations_per_fpdu"]),
        "capacity-aligned": mean(aligned["receive_capacity"], 1e-9),
        "capacity-unaligned": mean(unaligned["receive_capacity"], 1e-9),
        "memory-unaligned": mean(unaligned["memory_traffic"]),
    }


def misses(pairs: int, sweep: Sweep) -> Measured:
    (grid,) = compute._connections([(pairs, QUEUE_PAIRS[pairs])])
    runs = sweep.of_study(compute.STUDY, **grid | {"alignment": [True]})
    return {
        f"misses-{pairs}": mean(runs["rnic_context_misses"], 100),
        "no SYN is dropped, which would come again after 3 s": bool((runs["measured_duration"] < 1).all()),
    }


def turns(pairs: int, sweep: Sweep) -> Measured:
    """The same queue pairs, through one pipe and in turn: what is sent, and contexts off chip in turn."""
    (grid,) = compute._connections([(pairs, QUEUE_PAIRS[pairs])])
    order = {"Rnic.TxSchedule.Discipline": ["Fifo", "RoundRobin"]}
    runs = sweep.of_study(compute.STUDY, **grid | {"alignment": [True]} | order)
    piped, turned = (runs[runs["Rnic.TxSchedule.Discipline"] == name] for name in ("Fifo", "RoundRobin"))
    return {
        f"turns-{pairs}-misses": mean(turned["rnic_context_misses"], 100),
        f"turns-{pairs}-goodput": mean(turned["goodput"], 1e-9),
        f"turns-{pairs}-pipe": mean(piped["goodput"], 1e-9),
    }


def retirement(sweep: Sweep) -> Measured:
    settings = {window.RATE: "7500Mbps", "flows": 1, "receive_window": ["Constant", "Retired"]}
    runs = sweep.of_study(window.STUDY, **settings)
    constant, retired = (runs[runs["receive_window"] == name] for name in ("Constant", "Retired"))
    return {
        "window-constant": mean(constant["common_goodput"], 1e-9),
        "window-retired": mean(retired["common_goodput"], 1e-9),
        "window-drops": mean(constant["drop_share"], 100),
        "with a window by retirement nothing is dropped": retired["drop_share"].mean() == 0,
        "no goodput is above the formula": bool((runs["common_goodput"] <= runs["goodput_formula"]).all()),
    }


EXPERIMENTS = (
    Experiment("operations", "study-compute", 0.02, operations),
    *(Experiment(f"misses-{n}", "study-compute", MINUTES[n], functools.partial(misses, n)) for n in QUEUE_PAIRS),
    *(Experiment(f"turns-{n}", "rnic", 2 * MINUTES[n], functools.partial(turns, n)) for n in QUEUE_PAIRS),
    Experiment("window", "study-window", 0.1, retirement),
)
