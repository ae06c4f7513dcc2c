# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/concept-markers.rst: what adapters that search work on behind a loss, what Markers spare."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..studies.offload import ANSWER, RECEIVER, RECORD, SEARCHING, STUDY, TOLD_WHERE
from .experiment import Experiment, Measured, Sweep, mean

PAGE = "concept-markers"
LOSSES = {"0.1": 0.001, "1": 0.01}  #: figures by loss in per cent
CONNECTIONS = (1, 40, 1000)
REQUESTS = (512, 4096, 65_536, 1_048_576)  #: octets
AUTONOMOUS = {RECEIVER: ["Autonomous"]}
_WORKED, _MEMORY = "rnic_offload_share", "rnic_memory_p99"


def on_dumbbell(sweep: Sweep, **changes: Any) -> pd.DataFrame:
    """Return runs on the dumbbell, with as many connections and at the rate that the study has elsewhere too."""
    fixed = STUDY.presets["quick"].fixed
    usual = {"topology": ["dumbbell"], "link_rate": [fixed["link_rate"]], "flows": [fixed["flows"]]}
    return sweep.of_preset(STUDY, **{**usual, **changes})


def tls(sweep: Sweep) -> Measured:
    """Of full records from an aligned sender, over a path that loses at random or does nothing."""
    runs = on_dumbbell(sweep, **AUTONOMOUS, **{RECORD: [16_384], ANSWER: [10e-6]}, workload=["tls"], alignment=[True],
                       reordering=[0.0], middlebox=["none"], impairment=["random"], queue_disc=["none"])  # fmt: skip
    searching, told = (dict(iter(runs[runs["receiver"] == way].groupby("loss"))) for way in (SEARCHING, TOLD_WHERE))
    return {
        **{f"markers-tls-{name}": mean(searching[loss][_WORKED], 100) for name, loss in LOSSES.items()},
        "markers-told": mean(told[0.0][_WORKED], 100),
        "markers-told-1": mean(told[0.01][_WORKED], 100),
        "without loss an adapter that searches works on all octets": bool((searching[0.0][_WORKED] == 1).all()),
    }


def nvme(sweep: Sweep) -> Measured:
    runs = on_dumbbell(sweep, **AUTONOMOUS, workload=["nvme-tcp"])
    aligned = runs[runs["alignment"] & (runs["request"] == 65_536)].groupby("loss")[_WORKED]
    lossy = runs[runs["loss"] == 0.01].groupby("request")[_WORKED]
    return {
        **{f"markers-nvme-{name}": mean(aligned.get_group(loss), 100) for name, loss in LOSSES.items()},
        **{f"markers-request-{octets}": mean(lossy.get_group(octets), 100) for octets in REQUESTS},
    }


def placing(sweep: Sweep) -> Measured:
    runs = on_dumbbell(sweep, workload=["mpa"], alignment=[True])
    without = runs[~runs["markers"]]
    lossy = without[without["reordering"] == 0].groupby("loss")[_MEMORY]
    late = without[without["reordering"] == 0.01]
    return {
        **{f"markers-mpa-{name}": mean(lossy.get_group(loss), 1e-3) for name, loss in LOSSES.items()},
        "markers-mpa-reordered": mean(late[_MEMORY], 1e-3),
        "with Markers nothing of an aligned sender waits in an RNIC": bool((runs[runs["markers"]][_MEMORY] == 0).all()),
    }


def connections(sweep: Sweep) -> Measured:
    runs = on_dumbbell(sweep, **AUTONOMOUS, workload=["tls"], alignment=[False], flows=list(CONNECTIONS), loss=[0.01])
    shared = runs[runs["load"] > 0].groupby("flows")[_WORKED]
    return {f"markers-connections-{flows}": mean(shared.get_group(flows), 100) for flows in CONNECTIONS}


EXPERIMENTS = (
    Experiment("markers-tls", PAGE, 0.11, tls),
    Experiment("markers-nvme", PAGE, 0.3, nvme),
    Experiment("markers-placing", PAGE, 0.2, placing),
    Experiment("markers-connections", PAGE, 0.3, connections),
)
