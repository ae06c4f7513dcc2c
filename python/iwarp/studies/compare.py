# SPDX-License-Identifier: GPL-2.0-only
"""iWARP against RoCE and selective repeat: on which paths of a data centre which transport wins, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.cause import Cause
from ..analysis.findings import Contrast, View, effect_text
from ..analysis.primary import Pooled, Primary
from ..report.chart import Layout
from . import compare_paths as paths
from .compare_paths import FULL, MAIN, OTHERS, OURS, QUICK, RPC, STORAGE, TRANSPORTS, name_transport
from .compare_tables import MIXES, tabulate
from .primaries import answers, reason
from .study import Evidence, Panel, Preset, Question, Study
from .transports import resent_share

#: both change what the queues of a path hold: the memory of switches, and how messages of an incast meet
_NUISANCE = {"buffer_size": (1, 2), "start_spread": (1, 5)}
_QUICK_MIXES = (STORAGE, "cdf:fb-hadoop", RPC, "cdf:websearch-tenth")
_FULL_MIXES = (STORAGE, "cdf:fb-hadoop", RPC, "cdf:websearch")
_LOSSES = (0.0001, 0.001, 0.01)
_DEGREES = (8, 16, 32, 64)
_PAUSED = ("host_pause_share", "host_pause_share_max")
_SUBJECT = "aligned iWARP with DCTCP"

_VIEWS = [
    View("slowdown_p50", "Slowdown, median", higher_is_better=False, relevant=0.1),
    View("slowdown_p95", "Slowdown, 95th percentile", higher_is_better=False, relevant=0.1),
    View("slowdown_p99", "Slowdown, 99th percentile", higher_is_better=False, relevant=0.1),
    View("queue_drops", "Dropped by queues", higher_is_better=False),
    View("timeouts", "Timeouts", higher_is_better=False),
    View("resent_share", "Sent again", "share", "Payload that was sent again, over what messages have.", False),
    View("host_pause_share", "Paused, mean of the hosts", higher_is_better=False),
    View("host_pause_share_max", "Paused, most of a host", higher_is_better=False),
    View("common_fairness", "Fairness of long flows (Jain's index)", higher_is_better=True, relevant=0.05,
         absolute=True),
    View("rnic_memory_peak", "Reassembly memory of the RNICs, peak", higher_is_better=False),
]  # fmt: skip


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the names of the transports, and shares."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    frame["transport"] = [name_transport(row) for _, row in frame.iterrows()]
    if "payload_octets" in frame:
        frame["resent_share"] = resent_share(frame)
        for name in _PAUSED:
            told = frame[name] if name in frame else pd.Series(np.nan, frame.index)
            frame[name] = told.fillna(0.0)  # where nothing can pause nothing does
        units["resent_share"] = "share"
    frame.attrs["units"] = units
    return frame


Where = Mapping[str, Any]


def _clean(where: Where) -> bool:
    return not where["incast_senders"] and not where["loss"]


def _clean_tails(where: Where) -> bool:
    """Tell whether a clean path has messages enough of which a 95th percentile is told, in the quick preset too."""
    return _clean(where) and where["message_sizes"] in (STORAGE, RPC)


def _lossy(where: Where) -> bool:
    return where["loss"] > 0


def _incast(where: Where) -> bool:
    return where["topology"] == "star"


def _long(where: Where) -> bool:
    return where["incast_senders"] > 0 and not _incast(where)


def _is_storage(where: Where) -> bool:
    return where["message_sizes"] == STORAGE


_PATHS: list[tuple[str, Callable[[Where], bool]]] = [
    ("Clean paths", _clean), ("Random loss", _lossy), ("Incasts", _incast)
]  # fmt: skip
_MEDIAN, _P95, _TAIL = "the median slowdown", *(f"the {n}th percentile of the slowdown" for n in (95, 99))
_ASKED = [
    ("slowdown_p50", _MEDIAN, "on clean paths", _clean, "message_sizes", "mix of sizes"),
    ("slowdown_p95", _P95, "on clean paths", _clean_tails, "message_sizes", "mix of sizes"),
    ("slowdown_p99", _TAIL, "with random loss", _lossy, "loss", "loss"),
    ("slowdown_p99", _TAIL, "in incasts", _incast, "incast_senders", "number of senders"),
]


_SHORT = {"slowdown_p50": "median", "slowdown_p95": "95th percentile", "slowdown_p99": "99th percentile"}


def _against(other: str) -> Contrast:
    return Contrast("transport", OURS, other, f"{_SUBJECT} instead of {other}", other)


def answer(evidence: Evidence) -> list[str]:
    """Return on which paths which transport wins, then what that rests on."""
    told = [verdict(other, evidence.primaries) for other in MAIN[1:]]
    causes = [text for explained in evidence.causes if (text := reason(explained))]
    tables = [sentence for table in evidence.tables for sentence in table.sentences]
    return [text for text in [*told, *answers(evidence.primaries), *causes, *tables] if text]


def verdict(other: str, primaries: Sequence[Pooled]) -> str:
    """Say in a sentence on which paths iWARP has shorter messages than another transport, longer ones, or neither."""
    told: dict[str, list[str]] = {}
    for pooled in primaries:
        if pooled.primary.contrast.baseline == other:
            outcome, detail = _outcome(pooled)
            what = _SHORT[pooled.primary.metric]
            told.setdefault(outcome, []).append(f"{pooled.primary.over} ({what}{detail})")
    if not told:
        return ""
    order = ("shorter", "longer", "alike", "by the queues", "undecided")
    names = {
        "shorter": "messages of iWARP are delayed less",
        "longer": "they are delayed more",
        "alike": "no difference of interest",
        "by the queues": "which one is delayed less goes with the queues",
        "undecided": "undecided",
    }
    if "shorter" not in told:
        names["longer"] = "messages of iWARP are delayed more"
    return (
        f"Against {other}: "
        + "; ".join(f"{names[outcome]} {', '.join(told[outcome])}" for outcome in order if outcome in told)
        + "."
    )


def _outcome(pooled: Pooled) -> tuple[str, str]:
    found = pooled.whole
    size = f", {effect_text(found)}" if not math.isnan(found.test.mean) else ""
    if pooled.is_shown:
        return ("shorter" if found.verdict == "lower" else "longer"), size
    if pooled.depends:
        return "by the queues", ""
    if found.verdict == "same" or found.standing == "equivalent":
        return "alike", ""
    return "undecided", ""


def _preset(scale: paths.Scale, runs: int, timeout: float, found: Sequence[Any]) -> Preset:
    return Preset(
        found[0], paths.BASE, runs=runs, timeout=timeout, more=found[1:], nuisance=_NUISANCE,
        goes_with=scale.goes_with,
    )  # fmt: skip


def _layout(x: str, colour: str, rows: str = "") -> Layout:
    return Layout(x=x, colour=colour, shape="", rows=rows, columns=())


_LONG = [("Long flows", _long)]
_TAILS = [("Clean paths, AliStorage and RPCs", _clean_tails), *_PATHS[1:]]
_COSTS = ["queue_drops", "timeouts", "resent_share", *_PAUSED]


def _ask(contrast: Contrast) -> list[Question]:
    """Return what is asked of two transports: slowdowns where they are told, what comes with them, and fairness."""
    heading = f"{contrast.treatment_name} against {contrast.baseline_name}"
    return [
        Question(f"{heading}: median", contrast, ["slowdown_p50"], _PATHS),
        Question(f"{heading}: tails", contrast, ["slowdown_p95"], _TAILS[:1]),
        Question(f"{heading}: farthest tails", contrast, ["slowdown_p99"], _PATHS[1:]),
        Question(f"{heading}: losses and pauses", contrast, _COSTS, _PATHS),
        Question(f"{heading}: fairness", contrast, ["common_fairness"], _LONG),
    ]


def _pair(one: str, other: str) -> Contrast:
    return Contrast("transport", one, other, one, other)


def _panels() -> list[Panel]:
    """Return the figures: slowdowns by mix and load, by loss, by degree, and what it costs."""
    by_mix, by_loss, by_degree = (
        _layout("transport", "message_sizes", "topology"), _layout("loss", "transport", "topology"),
        _layout("incast_senders", "transport"),
    )  # fmt: skip

    def clean(s: pd.DataFrame) -> pd.Series:
        return (s["loss"] == 0) & (s["incast_senders"] == 0) & s["transport"].isin([*MAIN, *OTHERS])

    def lossy(s: pd.DataFrame) -> pd.Series:
        alike = s["message_sizes"] == STORAGE
        return alike & (s["incast_senders"] == 0) & ~s["transport"].isin(OTHERS)

    def incast(s: pd.DataFrame) -> pd.Series:
        return s["topology"] == "star"

    return [
        Panel("Clean paths: median slowdown", "slowdown_p50", by_mix, "By transport and mix of sizes.", clean),
        Panel("Random loss: slowdown at the 99th percentile", "slowdown_p99", by_loss,
              "Messages of AliStorage, by the loss of each link between switches.", lossy),
        Panel("Incasts: slowdown at the 99th percentile", "slowdown_p99", by_degree,
              "Rounds of messages of 64 KiB, by the number of senders.", incast),
        Panel("Incasts: paused", "host_pause_share", by_degree, "Mean of the hosts that send.",
              lambda s: incast(s) & s["transport"].str.startswith("RoCE")),
        Panel("Random loss: sent again", "resent_share", by_loss, "Payload that was sent again.", lossy),
    ]  # fmt: skip


STUDY = Study(
    name="compare",
    title="iWARP, RoCE and selective repeat",
    lead=(
        "Does TCP's transport cost iWARP its place in the data centre, or RoCE its pauses? Aligned iWARP with four "
        "congestion controls of TCP, RoCE (go-back-N with DCQCN over links that pause), and IRN (selective repeat "
        "with a window of one bandwidth-delay product over links that drop) carry the same messages over the same "
        "links and switches of the same memory. Segments are simulated in ns\u20113."
    ),
    presets={
        "quick": _preset(
            QUICK, 8, 300, paths.parts(QUICK, _QUICK_MIXES, (0.3, 0.8), _LOSSES, _DEGREES, QUICK.lossy)
        ),
        "full": _preset(
            FULL, 12, 7200,
            paths.parts(FULL, _FULL_MIXES, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8), _LOSSES, _DEGREES, FULL.lossy),
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_against(other), metric, what, over, where, by=by, by_title=title)
        for other in MAIN[1:]
        for metric, what, over, where, by, title in _ASKED
    ],
    causes=[
        Cause(
            Contrast("loss", 0.01, 0.0, "1 % random loss", "none"), "slowdown_p99",
            f"{_TAIL} of RoCE", "on the leaf-spine", "go-back-N sends again all that follows a hole",
            "with selective repeat over the same links",
            lambda where: where["transport"] == "RoCE" and where["topology"] == "leaf-spine" and _is_storage(where),
            lambda where: where["transport"] == "RoCE with selective repeat",
        ),
    ],
    questions=[
        *(question for other in MAIN[1:] for question in _ask(_pair(OURS, other))),
        *_ask(_pair("RoCE", "IRN")),
        *_ask(_pair("RoCE", "RoCE without DCQCN")),
        *(question for other in OTHERS for question in _ask(_pair(OURS, other))),
    ],
    layout=_layout("transport", "message_sizes", "topology"),
    titles={
        "buffer_size": "Memory of a switch [octets]",
        "transport": "Transport", "topology": "Network", "message_sizes": "Sizes of messages", "load": "Load",
        "loss": "Loss of links between switches", "incast_senders": "Senders of an incast",
    },
    levels={
        **{("message_sizes", mix): name for mix, name in MIXES.items()},
        ("topology", "leaf-spine"): "leaf-spine",
        ("topology", "fat-tree"): "fat tree",
        ("topology", "star"): "incast",
    },
    derive=derive,
    conclude=tabulate,
    answer=answer,
    factors=["transport", "topology", "message_sizes", "load", "loss", "incast_senders"],
    told=sorted({name for settings in TRANSPORTS.values() for name in settings}),
    panels=_panels(),
    warm_up="is left out of what arrives at a load: 0.5 ms, 4 ms in the full preset",
    limits=(
        "Links of 10 Gbit/s, MTU 1500, one RNIC profile for all, one priority. RoCE's rates are controlled by DCQCN "
        "with its published settings; IRN has no control but its window. Messages of WebSearch are a tenth as long "
        "in the quick preset, since one of 30 MB takes 24 ms of a link. Messages are followed for 5 ms behind their "
        "window (30 ms in the full preset, and of AliStorage where there is random loss), and those that have not "
        "ended then count as longer than any other; a 95th percentile takes 72 messages of a run, a 99th 368. Loss "
        "is independent from packet to packet."
    ),
)  # fmt: skip
