# SPDX-License-Identifier: GPL-2.0-only
"""What ESP does to RDMA over TCP: to alignment, buffers and goodput, and where the difference comes from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ..analysis.cause import Cause
from ..analysis.comparison import Comparison, compare
from ..analysis.findings import Contrast, View
from ..analysis.primary import Primary
from ..parameters.quantity import human
from ..report.cells import Cell, number
from ..report.chart import Layout
from ..report.page import Table
from .ipsec_conditions import BASE, CONTEXTS, GCM, PLACES, ROOM, TOLD, UNDISTURBED, condition, more
from .networks import NUISANCES, TITLES, across, flows_of
from .parts import Part
from .primaries import answers, reason
from .study import Evidence, Panel, Preset, Question, Study

_FACTORS = ["topology", "condition", "rnic", "esp_engine", "cipher", "mtu", "loss", "alignment", "flows",
            "ipsec_sharing", CONTEXTS]  # fmt: skip
_HEADERS = 74  #: octets of a segment besides payload: link 2, IP and TCP with timestamps 52, MPA and DDP 20
_GOODPUT = View("goodput", "Goodput", unit="bit/s", higher_is_better=True, log=True, relevant=0.02)
_TIME = View("message_time_mean", "Time of a message, mean", unit="s", higher_is_better=False, log=True)

_VIEWS = [
    _GOODPUT,
    _TIME,
    View("header_aligned_share", "Segments that begin with an FPDU"),
    View("fpdu_aligned_share", "Segments of whole FPDUs only"),
    View("rnic_memory_peak", "Reassembly memory, peak", higher_is_better=False),
    View("rnic_packet_buffer_peak", "Packet buffer, peak", higher_is_better=False),
    View("rnic_ip_reassembly_peak", "IP fragments held, peak", higher_is_better=False),
    View("segments_sent", "Segments", higher_is_better=False),
    View("measured_warm_up", "Start-up", "s",
         "Until each connection has carried what is left out of the other values.", False),
    View("esp_share", "Octets that ESP adds", "share", "Of the octets of the IP datagrams that it protects.", False),
    View("esp_delay_out", "From a packet to its protection", higher_is_better=False),
    View("esp_context_misses", "Contexts of associations off chip", higher_is_better=False),
    View("rnic_cpu_time", "Time of CPUs", higher_is_better=False),
]  # fmt: skip


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the conditions by name, and the share of ESP's octets, which nested associations add twice."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    frame["condition"] = [condition(run) for run in frame.to_dict("records")]
    if "esp_overhead" in frame:
        outer = frame["esp_octets"] / (1 + (frame["ipsec"] == "nested"))
        frame["esp_share"] = frame["esp_overhead"] / outer.where(outer > 0)
        units["esp_share"] = "share"
    frame.attrs["units"] = units
    return frame


def _effects(comparisons: Sequence[Comparison], family: int) -> list[Cell]:
    """Return effects, shares of what is without, with intervals that hold with 95 % for all of a family together
    (Bonferroni)."""
    cells = []
    for found in comparisons:
        test = found.test
        effect = math.expm1(test.mean) if found.relative else math.nan
        if test.n < 2 or not found.relative:
            cells.append(Cell(f"{100 * effect:+.1f} %" if found.relative else "", effect, "share"))
            continue
        half = stats.t.ppf(1 - 0.025 / family, test.n - 1) * test.spread / math.sqrt(test.n)
        low, mean, high = (100 * math.expm1(e) for e in (test.mean - half, test.mean, test.mean + half))
        text = f"{mean:+.1f} % ({low:+.1f} to {high:+.1f})"
        cells.append(Cell(text, effect, "share", ends=(low / 100, high / 100)))
    return cells


def _runs(frame: pd.DataFrame, found: Comparison, level: Any) -> pd.DataFrame:
    """Return the runs on one side of a comparison."""
    wanted = {**found.where, found.contrast.factor: level}
    return frame[np.logical_and.reduce([frame[name] == value for name, value in wanted.items()])]


def _both(frame: pd.DataFrame, found: Comparison, metric: str, unit: str) -> str:
    """Return a metric's means without and with ESP, as ``a → b``."""
    if metric not in frame:
        return ""
    levels = (found.contrast.baseline, found.contrast.treatment)
    means = [_runs(frame, found, level)[metric].mean() for level in levels]
    return "" if any(math.isnan(m) for m in means) else " → ".join(human(m, unit) for m in means)


def _name(where: Mapping[str, Any]) -> str:
    return TITLES.get(where.get("topology", ""), str(where.get("topology", "")))


def _usual(frame: pd.DataFrame) -> pd.Series:
    paused = frame["condition"].str.startswith("keys by messages")
    return (
        ~paused & (frame["rnic"] == BASE["rnic"]) & (frame["esp_engine"] == "inline") & (frame["cipher"] == GCM)
        & (frame["ipsec_sharing"] == "hosts") & (frame["flows"] == frame["topology"].map(flows_of))
    )  # fmt: skip


def _by_octets(own: pd.DataFrame, plain: pd.DataFrame) -> Cell:
    """Return what goodput loses if the links carry what ESP adds to each segment, and all else is as without it."""
    added = own["esp_overhead"] / own["esp_packets"] * (1 + (own["ipsec"] == "nested"))
    means = [
        1 + (runs["segments_sent"] / runs["payload_octets"]).mean() * (_HEADERS + more)
        for runs, more in ((plain, 0), (own, added.mean()))
    ]
    effect = means[0] / means[1] - 1
    return Cell(f"{100 * effect:+.1f} %", effect, "share")


def _cost(frame: pd.DataFrame) -> Table | None:
    """Return what ESP does where it takes no time: a row for each place of it, network and condition."""
    usual = frame[_usual(frame)]
    found = [c for place in PLACES for c in compare(usual, _contrast(place), _GOODPUT, _factors(usual))]
    rows = []
    for c, effect in zip(found, _effects(found, len(found)), strict=True):
        own, plain = (_runs(usual, c, level) for level in (c.contrast.treatment, "none"))
        segments = own["segments_sent"].mean() / plain["segments_sent"].mean() - 1
        rows.append({
            "Network": _name(c.where),
            "ESP": c.contrast.treatment,
            "Condition": c.where["condition"],
            "MTU": number(c.where["mtu"], "octets", form=","),
            "Loss": number(c.where["loss"], "share"),
            "Sender": "aligned" if c.where["alignment"] else "unaligned",
            "Goodput without ESP": number(c.baseline.mean, "bit/s"),
            "Goodput with ESP": effect,
            "By octets alone": _by_octets(own, plain),
            "Octets added": number(own["esp_share"].mean(), "share"),
            "Segments": Cell(f"{100 * segments:+.1f} %", segments, "share"),
            "Begin with an FPDU": _both(usual, c, "header_aligned_share", "share"),
            "Reassembly memory": _both(usual, c, "rnic_memory_peak", "octets"),
            "Fragments held": _both(usual, c, "rnic_ip_reassembly_peak", "octets"),
            "Start-up": _both(usual, c, "measured_warm_up", "s"),
        })  # fmt: skip
    if not rows:
        return None
    text = (
        "Runs that differ in ESP alone, in an engine that takes no time. Goodput is of steady state; by octets alone "
        "is what it would lose if links only had to carry what ESP adds, in as many segments as were sent. Start-up "
        "is what comes before: connecting, slow start, and where a tunnel begins behind the sender the first windows, "
        "which are too big for it and are sent again. "
        f"Intervals are of 95 % for all {len(rows)} rows together; of buffers and start-up the means are given."
    )
    return Table("cost", "What ESP does", text, pd.DataFrame(rows))


def _contrasts(frame: pd.DataFrame) -> list[tuple[str, Contrast]]:
    """Return what else may cost something: the part it is of, and the contrast that shows it."""
    names = ("esp_engine", "condition", "cipher", CONTEXTS)
    have = {name: set(frame[name].dropna().unique().tolist()) for name in names}
    found = [
        ("engine", Contrast("esp_engine", engine, "inline", engine, "one that takes no time"))
        for engine in sorted(have["esp_engine"] - {"inline"})
    ]
    found += [
        ("contexts off chip", Contrast(CONTEXTS, n, 0, f"{n:,} on chip", "all on chip"))
        for n in sorted(have[CONTEXTS] - {0})
    ]
    found += [("cipher", Contrast("cipher", c, GCM, c, GCM)) for c in sorted(have["cipher"] - {GCM})]
    for start, what, baseline, against in (
        ("keys by messages, room", "associations made anew", "keys by messages", "room for all"),
        ("keys by messages, deleted", "idle deletion", "keys by messages", "none deleted"),
        ("rekeyed", "rekeying", UNDISTURBED, "no rekeying"),
        ("ESP in UDP", "UDP", UNDISTURBED, "ESP alone"),
        ("fragments allowed, tunnels cut", "fragments", UNDISTURBED, "senders told"),
    ):
        found += [
            (what, Contrast("condition", name, baseline, name, against))
            for name in sorted(have["condition"])
            if name.startswith(start)
        ]
    wide = {name: name.replace("window of 64", "window of 1,024") for name in sorted(have["condition"])}
    found += [
        ("anti-replay window", Contrast("condition", name, other, "64", "1,024"))
        for name, other in wide.items()
        if other != name
    ]
    return found


def _parts(frame: pd.DataFrame) -> Table | None:
    """Return what engines, contexts, ciphers, rekeying, UDP, reordering and want of room cost, each by itself."""
    protected = frame[frame["ipsec"] != "none"]
    found = [(what, c) for what, contrast in _contrasts(protected)
             for c in compare(protected, contrast, _GOODPUT, [*_factors(protected), "ipsec"])]  # fmt: skip
    times = [compare(_pair(protected, c), c.contrast, _TIME, [*_factors(protected), "ipsec"]) for _, c in found]
    if not found:
        return None
    effects = _effects([c for _, c in found], 2 * len(found))
    later = iter(_effects([t[0] for t in times if t], 2 * len(found)))
    rows = []
    for (what, c), effect, time in zip(found, effects, times, strict=True):
        own = _runs(protected, c, c.contrast.treatment)
        rows.append({
            "Part": what,
            "With": c.contrast.treatment_name,
            "Against": c.contrast.baseline_name,
            "Network": _name(c.where),
            "RNIC": c.where["rnic"],
            "ESP": c.where["ipsec"],
            "Sender": "aligned" if c.where["alignment"] else "unaligned",
            "Cipher": c.where.get("cipher", ""),
            "Engine": c.where.get("esp_engine", ""),
            "Goodput against": number(c.baseline.mean, "bit/s"),
            "Goodput": effect,
            "Time of a message": next(later) if time else "",
            "Seen": _seen(own),
        })  # fmt: skip
    text = (
        "Runs with ESP that differ in one thing. Intervals are of 95 % for all of the table together. The last column "
        "has what else tells of it, means over the runs."
    )
    return Table("breakdown", "Where more of the difference comes from", text, pd.DataFrame(rows))


def _pair(frame: pd.DataFrame, found: Comparison) -> pd.DataFrame:
    contrast = found.contrast
    return pd.concat([_runs(frame, found, level) for level in (contrast.treatment, contrast.baseline)])


def _seen(runs: pd.DataFrame) -> str:
    """Return counts that tell what ESP met, those above 0."""
    names = {
        "esp_rekeys": "pairs replaced",
        "esp_evictions": "associations evicted",
        "esp_idle_deletes": "pairs deleted for being idle",
        "esp_drops_too_old": "late for the window",
        "rnic_ip_reassembly_peak": "octets of fragments held",
    }
    said = [f"{runs[m].mean():,.0f} {text}" for m, text in names.items() if m in runs and runs[m].mean() > 0]
    if "esp_context_misses" in runs and runs["esp_context_misses"].mean() > 0:
        said.append(f"{human(runs['esp_context_misses'].mean(), 'share')} of contexts off chip")
    return ", ".join(said)


def _factors(frame: pd.DataFrame) -> list[str]:
    return [name for name in _FACTORS if name in frame]


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's tables: what ESP does where it takes no time, and what else costs something."""
    if "esp_share" not in frame:
        return []
    return [table for table in (_cost(frame), _parts(frame)) if table]


def _answer(evidence: Evidence) -> list[str]:
    """Say what ESP does to goodput and to alignment, and why, and where to find what more costs something."""
    if "esp_share" not in evidence.frame:
        return []
    points = [text for text in map(reason, evidence.causes) if text]
    parts = evidence.table("breakdown")
    if len(parts):
        named = list(dict.fromkeys(parts["Part"]))
        points.append(f"What more costs something is in a table: {', '.join(named)}.")
    return [*answers(evidence.primaries), *_alignment(evidence), *points]


def _alignment(evidence: Evidence) -> list[str]:
    """Say whether ESP changes how many of an aligned sender's segments begin with an FPDU, where it is all there is."""
    alike = [
        c
        for c in evidence.comparisons
        if c.view.metric == "header_aligned_share" and c.contrast.factor == "ipsec" and _alone(c.where)
    ]
    if not alike:
        return []
    shown = [c for c in alike if c.verdict in ("lower", "higher")]
    most = human(max(abs(c.test.mean) for c in shown or alike), "share")
    what = "the share of an aligned sender's segments that begin with an FPDU"
    if not shown:
        return [f"ESP is not shown to change {what}, in {len(alike)} comparisons ({most} is the most that was seen)."]
    return [f"ESP changes {what} by up to {most}, in {len(shown)} of {len(alike)} comparisons."]


def _contrast(place: str) -> Contrast:
    return Contrast("ipsec", place, "none", f"ESP ({place})", "no ESP")


def _calm(where: Mapping[str, Any]) -> bool:
    return where["loss"] == 0


_OTHERS = ("rnic", "esp_engine", "cipher", CONTEXTS)
_ASKED = ("mtu", "loss", "alignment")  #: what is asked of all networks
_HASHED = "routers hash the SPI"


def _around(where: Mapping[str, Any]) -> bool:
    """Tell whether all but the network, what is asked of all networks, the condition and what shares an association is
    as in the base."""
    usual = where["flows"] == flows_of(where["topology"])
    return usual and all(where.get(name, BASE[name]) == BASE[name] for name in _OTHERS)


def _as_base(where: Mapping[str, Any]) -> bool:
    """Tell whether all but the network, the condition and what shares an association is as in the base."""
    return _around(where) and all(where[name] == BASE[name] for name in _ASKED)


def _near(where: Mapping[str, Any]) -> bool:
    """Tell whether ESP is all that is added, whatever the sender, loss and MTU."""
    shared = where.get("ipsec_sharing", BASE["ipsec_sharing"]) == BASE["ipsec_sharing"]
    return _around(where) and shared and where["condition"] == UNDISTURBED


def _alone(where: Mapping[str, Any]) -> bool:
    """Tell whether ESP is all that is added to a path, with an association for each pair of hosts."""
    shared = where.get("ipsec_sharing", BASE["ipsec_sharing"]) == BASE["ipsec_sharing"]
    return _as_base(where) and shared and where["condition"] == UNDISTURBED


_TRANSPORT = Contrast("ipsec", "transport", "none", "ESP in transport mode", "no ESP")
_GATEWAY = Contrast("ipsec", "gateway", "none", "ESP in a gateway's tunnel", "no ESP")
_STEADY = "in steady state with an MTU of 1500"
_PRIMARIES = [
    Primary(_TRANSPORT, "goodput", "goodput", _STEADY, _alone, around=_near),
    Primary(_GATEWAY, "goodput", "goodput", _STEADY, _alone, around=_near),
]
_CAUSES = [
    Cause(
        _GATEWAY, "goodput", "goodput", "on the leaf-spine",
        "a tunnel is one flow to routers with several equal paths, and takes one of them",
        "with an association for each connection, and routers that hash its SPI,",
        lambda w: w["topology"] == "leaf-spine" and _alone(w),
        lambda w: w["topology"] == "leaf-spine" and _as_base(w) and w["ipsec_sharing"] == "connection"
        and w["condition"] == _HASHED,
    ),
]  # fmt: skip


def _question(place: str, metrics: Sequence[str]) -> Question:
    scopes = [
        ("all networks, in order", lambda w: _near(w) and _calm(w)),
        ("all networks, with loss", lambda w: _near(w) and not _calm(w)),
        ("further conditions and engines", lambda w: not _near(w)),
    ]
    return Question(f"ESP ({place}) against none", _contrast(place), metrics, scopes)


_LOSSES = [0.001]
_NUISANCE = {"queue_size": (1, 2, 4), "min_rto": (1, 2, 4)}
_METRICS = [view.metric for view in _VIEWS if not view.metric.startswith("esp_")]
_LAYOUT = Layout(x="ipsec", colour="alignment", shape="loss", rows="topology", columns=())


def _preset(octets: int, warm_up: int, crowd: int, losses: list[float], reduction: int, runs: int, timeout: float) -> (
    Preset
):  # fmt: skip
    return Preset(
        Part("the dumbbell", {"ipsec": ["none", *PLACES], "alignment": [True, False], "loss": [0.0, *losses]}),
        BASE, runs=runs, timeout=timeout, more=more(octets, crowd, losses, reduction), nuisance=_NUISANCE,
        goes_with=across(octets, warm_up=warm_up),
    )  # fmt: skip


STUDY = Study(
    name="ipsec",
    title="What ESP does to RDMA over TCP",
    lead=(
        "ESP adds octets, takes time where it is done, and in tunnels of gateways makes datagrams longer than the "
        "sender's EMSS reckons with. Each run is compared with the same one without ESP, simulated in ns‑3."
    ),
    presets={
        "quick": _preset(600_000, 600_000, 500, _LOSSES, reduction=2, runs=6, timeout=300),
        "full": _preset(3_000_000, 500_000, 10_000, [0.001, 0.01], reduction=1, runs=18, timeout=1800),
    },
    views=_VIEWS,
    primaries=_PRIMARIES,
    causes=_CAUSES,
    questions=[_question(place, _METRICS) for place in PLACES],
    layout=_LAYOUT,
    figures={},
    titles={
        **NUISANCES,
        "ipsec": "ESP", "cipher": "Cipher", "esp_engine": "Engine", "alignment": "Sender", "loss": "Loss",
        "mtu": "MTU", "rnic": "RNIC", "flows": "Connections", "ipsec_sharing": "An association for",
        "octets": "Octets a connection", "topology": "Topology", "condition": "Condition", CONTEXTS: "Contexts on chip",
    },
    levels={
        ("alignment", True): "aligned sender",
        ("alignment", False): "unaligned sender",
        ("ipsec", "none"): "no ESP",
        **{("topology", name): title for name, title in TITLES.items()},
    },
    derive=derive,
    conclude=conclude,
    answer=_answer,
    least_share=0.2,
    warm_up="is left out: what counts begins once each connection has carried the octets at the end of this page",
    limits=(
        "Four flows of one mix of messages, on links of 10 Gbit/s or 50 Mbit/s; engines on one of 40 Gbit/s. Times of "
        "engines are of profiles, most of whose figures are assumed. Where the first window of a nested connection is "
        "lost, its congestion window is small for longer than the start-up that is left out."
    ),
    told=[name for name in TOLD if name != ROOM],
    factors=["condition", "rnic", "esp_engine", "cipher", "mtu", "flows", "ipsec_sharing", CONTEXTS],
    panels=[
        Panel("Goodput", "goodput", _LAYOUT, "In steady state.", lambda f: _usual(f) & _plain(f)),
        Panel("Segments that begin with an FPDU", "header_aligned_share", _LAYOUT,
              "In steady state; fragments put together again are as aligned as before.",
              lambda f: _usual(f) & _plain(f)),
        Panel("Reassembly memory", "rnic_memory_peak", _LAYOUT, "Peak at the receiving RNICs.",
              lambda f: _usual(f) & _plain(f)),
        Panel("Start-up", "measured_warm_up", _LAYOUT,
              "Until each connection has carried what is left out of the others.",
              lambda f: _usual(f) & _plain(f)),
        Panel("Goodput over what does ESP", "goodput",
              Layout(x="esp_engine", colour="ipsec", shape="cipher", rows="rnic", columns=()),
              "Eight connections between two hosts, over 40 Gbit/s.",
              lambda f: (f["flows"] == 8) & (f["topology"] == "dumbbell")),
    ],
)  # fmt: skip


def _plain(frame: pd.DataFrame) -> pd.Series:
    return (frame["condition"] == UNDISTURBED) & (frame["mtu"] == 1500)
