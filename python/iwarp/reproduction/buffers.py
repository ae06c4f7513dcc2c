# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-buffers.rst: what unaligned connections hold in an RNIC, what too little memory leaves."""

from __future__ import annotations

import functools
from typing import Any

from ..analysis.stats import Estimate
from ..studies.buffers import MEMORY, STUDY, derive, fit
from .experiment import Experiment, Measured, Sweep, mean, value

PAGE = "study-buffers"
UNALIGNED = {"alignment": False, "markers": True}
PATHS = {
    "k1-40gbps": {"link_rate": "40Gbps"},
    "k1-100gbps": {"link_rate": "100Gbps"},
    "k1-400gbps": {"link_rate": "400Gbps"},
    "k1-400gbps-short": {"link_rate": "400Gbps", "min_rto": "1ms", "delayed_ack": "100us"},
    "k1-5us": {"delay": "5us"},
    "k1-2ms": {"delay": "2ms"},
    "k1-mtu-576": {"mtu": 576},
    "k1-mtu-9052": {"mtu": 9052},
}  #: figures by what is changed of the path
MINUTES = {
    "k1-40gbps": 0.3,
    "k1-100gbps": 0.6,
    "k1-400gbps": 1.0,
    "k1-400gbps-short": 0.5,
    "k1-5us": 0.2,
    "k1-2ms": 0.2,
    "k1-mtu-576": 0.5,
    "k1-mtu-9052": 0.04,
    "memory-sack": 0.5,
    "memory-no-sack": 0.5,
    "memory-sack-1ms": 0.4,
    "memory-rack": 0.5,
    "memory-64k-unaligned-sack": 0.25,
    "memory-64k-unaligned-sack-1ms": 0.2,
    "memory-64k-unaligned-rack": 0.3,
    "memory-16k-markers-sack": 0.25,
    "memory-16k-markers-rack": 0.25,
}  #: of a processor, by experiment, where they were measured
SHORT = {"min_rto": "1ms", "delayed_ack": "100us"}  #: timeouts, and ACKs that come before these
RACK = {"rack": True}
SENDERS = {"sack": {}, "no-sack": {"sack": False}, "sack-1ms": SHORT, "rack": RACK}
LITTLE = {
    "memory-64k-unaligned-sack": (64_000, {"markers": False}),
    "memory-64k-unaligned-sack-1ms": (64_000, {"markers": False, **SHORT}),
    "memory-64k-unaligned-rack": (64_000, {"markers": False, **RACK}),
    "memory-16k-markers-sack": (16_000, {"markers": True}),
    "memory-16k-markers-rack": (16_000, {"markers": True, **RACK}),
}  #: figures by memory and sender


def _slope(sweep: Sweep, loss: float, flows: list[int]) -> Estimate:
    found = fit(sweep.of_study(STUDY, **UNALIGNED, loss=loss, flows=flows), "rnic_memory_mean")
    return value(found.slope, found.slope_half, 3 * len(flows))


def connections(figure: str, loss: float, sweep: Sweep) -> Measured:
    return {figure: _slope(sweep, loss, [1, 10, 100, 1000])}


def twice(sweep: Sweep) -> Measured:
    octets = STUDY.presets["quick"].fixed["octets"]
    runs = sweep.of_study(STUDY, **UNALIGNED, loss=0.01, flows=[1, 10, 100], octets=[octets, 2 * octets])
    shorter, longer = (fit(runs[runs["length"] == length], "rnic_memory_mean") for length in (1, 2))
    return {
        "k1-to-100": value(shorter.slope, shorter.slope_half, 9),
        "k1-to-100-twice": value(longer.slope, longer.slope_half, 9),
        "runs that are twice as long have the same K1": shorter.agrees(longer),
    }


def path(figure: str, sweep: Sweep) -> Measured:
    runs = derive(sweep({**STUDY.presets["quick"].fixed, **UNALIGNED, **PATHS[figure]}, 6))
    return {figure: mean(runs["k1"])}


def goodput(sweep: Sweep, memory: int, runs: int = 3, **kind: Any) -> Estimate:
    """Return the goodput of runs of 100 connections that share memory, in Gbit/s."""
    found = sweep({**STUDY.presets["quick"].fixed, **kind, MEMORY: memory}, runs)
    return mean(found["goodput"], 1e-9)


def unlimited(sweep: Sweep) -> Measured:
    return {
        "memory-16k-markers": goodput(sweep, 16_000, **UNALIGNED),
        "memory-16k-no-markers": goodput(sweep, 16_000, alignment=False, markers=False),
        "memory-unlimited": goodput(sweep, 0, **UNALIGNED),
    }


def more(name: str, sweep: Sweep) -> Measured:
    aligned = {"alignment": True, "markers": False, "runs": 6, **SENDERS[name]}
    little, much = (goodput(sweep, memory, **aligned) for memory in (4_000, 64_000))
    found: dict[str, Estimate | bool] = {f"memory-4k-{name}": little, f"memory-64k-{name}": much}
    if name == "sack":
        found["with SACK and long timeouts more memory makes less goodput"] = much.mean < little.mean
    if name == "rack":
        found["with RACK-TLP more memory makes no less goodput"] = much.mean >= little.mean
    return found


def little(figure: str, sweep: Sweep) -> Measured:
    memory, kind = LITTLE[figure]
    return {figure: goodput(sweep, memory, runs=6, alignment=False, **kind)}


EXPERIMENTS = (
    Experiment("k1-0.1-percent", PAGE, 0.8, functools.partial(connections, "k1-0.1-percent", 0.001)),
    Experiment("k1-1-percent", PAGE, 1.0, functools.partial(connections, "k1-1-percent", 0.01)),
    Experiment("k1-twice", PAGE, 0.2, twice),
    *(Experiment(name, PAGE, MINUTES[name], functools.partial(path, name)) for name in PATHS),
    Experiment("memory-unlimited", PAGE, 0.3, unlimited),
    *(Experiment(f"memory-{name}", PAGE, MINUTES[f"memory-{name}"], functools.partial(more, name)) for name in SENDERS),
    *(Experiment(name, PAGE, MINUTES[name], functools.partial(little, name)) for name in LITTLE),
)
