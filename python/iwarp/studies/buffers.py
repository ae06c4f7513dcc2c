# SPDX-License-Identifier: GPL-2.0-only
"""How much reassembly memory an RNIC needs (RFC 5044, Appendices A.5.2 and B.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.ticker import EngFormatter

from ..analysis.findings import Contrast, View
from ..analysis.fits import Line, line
from ..analysis.primary import Primary
from ..analysis.stats import estimate
from ..parameters.quantity import human, number_text
from ..report.cells import number
from ..report.chart import Layout, Reference
from ..report.page import Table
from . import primaries
from .buffers_memory import MEMORY, TARGET, answers, kind_of_sender, refine
from .networks import NETWORKS, NUISANCES, TITLES, between_two
from .parts import Part, spread_over
from .study import Evidence, Panel, Preset, Question, Study

_MEMORIES = [4_000, 16_000, 64_000, 100_000, 160_000, 400_000, 1_000_000, 0]  # two packets at least
_KINDS = {"alignment": [True, False], "markers": [True, False]}
_OCTETS = 150_000  #: measured of each connection, after as many
_BASE = {
    "flows": 100,
    "link_rate": "10Gbps",
    "delay": "50us",
    "mtu": 1552,  # with timestamps, over IPv4: an EMSS of 1500
    "loss": 0.01,
    MEMORY: 0,
    "rnic": "ideal",
    "host_pairs": 1,
    "access_rate": "400Gbps",
    "queue_size": "400000p",  # what windows allow: nothing is lost but by Loss
    "warm_up": _OCTETS,
    "octets": _OCTETS,
    "start_spread": "2ms",
    "spread_starts": True,
    "message_sizes": "ns3::UniformRandomVariable[Min=4096|Max=12289]",
    "send_buffer": 131072,  # more than the window: TCP always has full segments to send
    "receive_buffer": 32768,
    "min_rto": "10ms",
    "TcpSocket.ConnTimeout": "10ms",  # while one connection waits to begin, the others send
    "delayed_ack": "1ms",
    "plain_tcp": False,
    "rack": False,
    "dsack": True,  # as receivers of Linux do; without RACK-TLP nothing goes by it
    **{name: levels[0] for name, levels in _KINDS.items()},
}
# a window a round trip of 10 ms, on a link that is not full with 10,000 connections: the same for each of them,
# however many there are
_ALIKE = {"link_rate": ["400Gbps"], "delay": ["5ms"], "min_rto": ["40ms"], "TcpSocket.ConnTimeout": ["50ms"],
          "start_spread": ["10ms"]}  # fmt: skip
_UNALIGNED = {"alignment": [False], "markers": [True]}
_FEW = 25  #: connections on each of the networks
_ARMS = {"alignment": _KINDS["alignment"]}
_ASKED = {"markers": _KINDS["markers"], "loss": [0.001, 0.01], "mtu": [1552, 9052]}  #: on each of them
_NUISANCE = {"receive_buffer": (1, 1.5, 2), "min_rto": (1, 1.5, 2)}


def _paths(kinds: dict, runs: int | None = None) -> list[Part]:
    """Return what is asked of rates, delays and sizes of segments."""
    return [
        Part("rates of the link", {**kinds, "link_rate": ["40Gbps", "100Gbps", "400Gbps"]}, runs=runs),
        Part("round trips", {**kinds, "delay": ["5us", "500us", "2ms"]}, runs=runs),
        Part("sizes of segments", {**kinds, "mtu": [576, 9052]}, runs=runs),
    ]


def _limits(**more: list) -> Part:
    return Part("memory of several sizes", {**_KINDS, MEMORY: _MEMORIES, **more})


def _by_time(*memories: int, **more: list) -> Part:
    """Return what says which part of too little memory's cost is that of finding losses."""
    return Part("losses found by RACK-TLP", {**_KINDS, MEMORY: list(memories), "rack": [True], **more}, runs=3)


_VIEWS = [
    View("rnic_memory_mean", "Memory, mean", higher_is_better=False, log=True),
    View("rnic_memory_p50", "Memory, median over time", higher_is_better=False, log=True),
    View("rnic_memory_p99", "Memory, 99th percentile over time", higher_is_better=False, log=True),
    View("rnic_memory_p999", "Memory, 99.9th percentile over time", higher_is_better=False, log=True),
    View("rnic_memory_peak", "Memory, peak", higher_is_better=False, log=True),
    View("rnic_memory_holders_peak", "Connections that hold memory", higher_is_better=False, log=True),
    View("rnic_memory_stay_mean", "Stay in memory, mean", higher_is_better=False, log=True),
    View("k1", "Segments held a connection", "EMSS",
         "The mean over EMSS times connections: what K1 of BufferSizeNAF stands for.", False, True, 0.05, True),
    View("drop_share", "Dropped for want of memory", "share",
         "Segments that the RNIC dropped because its memory was full, over the segments that were sent.", False),
    View("goodput", "Goodput", higher_is_better=True),
]  # fmt: skip

_FORMULAS = [
    Reference("buffer_size_naf", "BufferSizeNAF, K1 = 1", "--"),
    Reference("buffer_size_tcp", "BufferSizeTCP, K = 1", ":"),
]


def _layout(x: str) -> Layout:
    return Layout(x=x, colour="alignment", shape="markers", rows="topology", columns=("loss",))


_USUAL = {
    "flows": 100, "delay": 50e-6, "mtu": 1552, "loss": 0.01, MEMORY: 0, "link_rate": 10_000_000_000, "rack": False,
}  # fmt: skip


def _only(*free: str) -> Callable[[pd.DataFrame], pd.Series]:
    """Return what picks configurations as in the base, but for ``free``."""

    def where(frame: pd.DataFrame) -> pd.Series:
        usual = frame["length"] == 1
        for name, value in _USUAL.items():
            if name not in free:
                usual &= frame[name] == value
        return usual

    return where


def _alike(frame: pd.DataFrame) -> pd.Series:
    """Pick the runs over connections, of any length."""
    return (frame["delay"] == 5e-3) & (frame[MEMORY] == 0)


def _connections(frame: pd.DataFrame) -> pd.Series:
    """Pick the runs over connections, of one length."""
    return _alike(frame) & (frame["length"] == 1)


def _limited(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with memory of several sizes."""
    return frame[_only(MEMORY)(frame)] if "drop_share" in frame else frame.head(0)


def _both_ways(frame: pd.DataFrame) -> pd.Series:
    """Pick the runs with memory of the sizes that both ways to find losses have."""
    usual = _only(MEMORY, "rack")(frame)
    shared = set(frame.loc[usual & frame["rack"], MEMORY])
    return usual & frame[MEMORY].isin(shared)


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the ratios that the study speaks of; ``length`` is that of a run over that of its shortest like."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    drops = [c for c in frame if c.startswith("rnic_drops_memory_")]
    if drops:
        frame["drop_share"] = frame[drops].sum(axis=1) / frame["segments_sent"].where(frame["segments_sent"] > 0)
        frame["k1"] = frame["rnic_memory_mean"] / (frame["emss"] * frame["flows"])
        like = [*_USUAL, *_KINDS, "topology"]
        frame["length"] = (frame["octets"] / frame.groupby(like)["octets"].transform("min")).fillna(1)
        units |= {"drop_share": "share", "k1": "EMSS"}
    frame.attrs["units"] = units
    return frame


_STATISTICS = {
    "rnic_memory_mean": "mean",
    "rnic_memory_p99": "99 % of the time",
    "rnic_memory_p999": "99.9 % of the time",
    "rnic_memory_peak": "peak",
}


def fit(runs: pd.DataFrame, statistic: str) -> Line:
    """Fit K1 EMSS connections + K2 EMSS to a statistic of the memory; the line is in segments.

    Connections hold what they hold independently of each other, so that its variance grows as their number: runs
    count with its inverse.

    @param runs of at least two numbers of connections, three in all
    """
    return line(runs["flows"], runs[statistic] / runs["emss"], 1 / runs["flows"])


def _fitted(frame: pd.DataFrame) -> Iterator[tuple[float, bool, bool, pd.DataFrame]]:
    """Yield the runs over connections that a line can be fitted to, by loss, alignment and Markers."""
    for (loss, alignment, markers), runs in frame[_alike(frame)].groupby(["loss", "alignment", "markers"], sort=True):
        if runs["flows"].nunique() >= 2 and len(runs) >= 3:
            yield loss, alignment, markers, runs


def _who(loss: float, alignment: bool, markers: bool) -> str:
    return (
        f"With {100 * loss:g} % loss and {'' if markers else 'no '}Markers, "
        f"{'an aligned' if alignment else 'an unaligned'} sender's receiver"
    )


def _pm(value: float, half: float) -> str:
    text = number_text(value)
    return text if math.isnan(half) or half == 0 else f"{text} ± {number_text(half, 2)}"


def _fits(frame: pd.DataFrame) -> Table | None:
    found = [
        (loss, alignment, markers, runs[runs["length"] == 1], statistic)
        for loss, alignment, markers, runs in _fitted(frame)
        for statistic in _STATISTICS
    ]
    lines = [fit(runs, statistic) for *_, runs, statistic in found]
    rows, sentences = [], []
    for (loss, alignment, markers, runs, statistic), fitted in zip(found, lines, strict=True):
        holds = fitted.holds(tests=len(found))
        at_most = runs[runs["flows"] == runs["flows"].max()]
        each = estimate(at_most[statistic] / (at_most["emss"] * at_most["flows"]))
        rows.append(
            {
                "Loss": number(loss, "share"),
                "Sender": kind_of_sender(alignment, markers),
                "Memory": _STATISTICS[statistic],
                "Connections": f"{runs['flows'].min()} to {runs['flows'].max():,}",
                "K1": number(fitted.slope, half=fitted.slope_half),
                "K2": number(fitted.intercept, half=fitted.intercept_half),
                "p of lack of fit": number(math.nan if holds is None else fitted.lack, digits=2),
                "The line holds": {None: "not tested", True: "not disproved", False: "no"}[holds],
                "Segments a connection, at the most connections": number(
                    each.mean, half=each.half, bounds=(0, math.inf)
                ),
            }
        )
        if statistic == "rnic_memory_mean":
            grows = fitted.slope > fitted.slope_half and fitted.slope > 0.001
            much = f"{_pm(fitted.slope, fitted.slope_half)} segments for each connection"
            sentences.append(
                f"{_who(loss, alignment, markers)} holds {much} in the mean."
                if grows
                else f"{_who(loss, alignment, markers)} holds no more with more connections (K1 = "
                f"{_pm(fitted.slope, fitted.slope_half)}, K2 = {_pm(fitted.intercept, fitted.intercept_half)})."
            )
        if holds is False and fitted.slope > 0.001:
            sentences.append(
                f"{_who(loss, alignment, markers)}: {_STATISTICS[statistic]} does not follow the line "
                f"(p = {number_text(fitted.lack, 2)})."
            )
    if not rows:
        return None
    text = (
        "Memory over EMSS against connections, K1 · connections + K2, the form of BufferSizeNAF; BufferSizeAF is the "
        "same without the first term. Least squares, each run weighted with the inverse of its connections (the "
        "variance of what independent connections hold grows as their number), with 95 % intervals. An F test compares "
        "what the line leaves with how runs of one number of connections differ; its level of 5 % is shared by all "
        "lines of the table. The mean of independent connections is a line; their percentiles are not, as the "
        "spread grows as the root of their number: take those from the last column."
    )
    return Table("fits", "The formulas of RFC 5044 Appendix B.2", text, pd.DataFrame(rows), sentences)


def _steady(frame: pd.DataFrame) -> Table | None:
    """Return whether runs twice as long say the same."""
    rows, sentences = [], []
    for loss, alignment, markers, runs in _fitted(frame):
        longer, shorter = runs[runs["length"] > 1], runs[runs["length"] == 1]
        shorter = shorter[shorter["flows"].isin(longer["flows"])]
        if longer["flows"].nunique() < 2 or len(longer) < 3:
            continue
        for statistic, name in _STATISTICS.items():
            before, after = fit(shorter, statistic), fit(longer, statistic)
            steady = before.agrees(after, len(_STATISTICS))
            rows.append(
                {
                    "Loss": number(loss, "share"),
                    "Sender": kind_of_sender(alignment, markers),
                    "Memory": name,
                    "Times as long": number(longer["length"].max()),
                    "K1": number(before.slope, half=before.slope_half),
                    "K1 of longer runs": number(after.slope, half=after.slope_half),
                    "Change": number(after.slope - before.slope, digits=2),
                    "Shown to differ": "no" if steady else "yes",
                }
            )
            if not steady:
                sentences.append(f"{_who(loss, alignment, markers)}: K1 by {name} depends on how long runs are.")
    if not rows:
        return None
    if not sentences:
        sentences = ["Runs that are twice as long are not shown to have another K1."]
    text = (
        "Runs start to count when every connection has carried WarmUp octets, and end after Octets more of each. If "
        "that is steady state, runs that count longer find the same K1."
    )
    return Table("steady", "Runs that are longer", text, pd.DataFrame(rows), sentences)


def _example(frame: pd.DataFrame) -> Table | None:
    rows, sentences = [], []
    example = frame[(frame["flows"] == 10_000) & (frame["length"] == 1)]
    for (loss, alignment, markers), runs in example.groupby(["loss", "alignment", "markers"], sort=True):
        formula = float(runs["buffer_size_naf"].mean())
        found = {name: estimate(runs[statistic]) for statistic, name in _STATISTICS.items()}
        holders = estimate(runs["rnic_memory_holders_peak"])
        rows.append(
            {
                "Loss": number(loss, "share"),
                "Sender": kind_of_sender(alignment, markers),
                "Runs": len(runs),
                **{
                    f"Memory, {name}": number(e.mean, "octets", e.half, bounds=(0, math.inf))
                    for name, e in found.items()
                },
                "Connections that hold memory, peak": number(holders.mean, half=holders.half, bounds=(0, 10_000)),
                "BufferSizeNAF, K1 = 1": number(formula, "octets"),
                "Peak over it": number(found["peak"].mean / formula),
                "Dropped segments": number(runs["segments_dropped"].sum(), form=",.0f"),
            }
        )
        sentences.append(
            f"{'An aligned' if alignment else 'An unaligned'} sender on 10,000 connections: the RNIC holds "
            f"{human(found['mean'].mean, 'octets')} in the mean and {human(found['peak'].mean, 'octets')} at the most, "
            f"{number_text(found['peak'].mean / formula)} times what the formula says."
        )
    if not rows:
        return None
    text = (
        "10,000 connections with an EMSS of 1500 octets into one RNIC in steady state, each segment simulated. The "
        "appendix computes 15 MB for data that is not aligned, and some hundreds of KB for data that is."
    )
    return Table("example", "The example of Appendix B.2, simulated", text, pd.DataFrame(rows), sentences)


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's tables: fits, whether they last, the appendix's example, the memory for given targets."""
    if "rnic_memory_peak" not in frame:
        return []
    return [table for table in (_fits(frame), _steady(frame), _example(frame), answers(_limited(frame))) if table]


def _answer(evidence: Evidence) -> list[str]:
    """Say what alignment spares of memory, then whether that lasts, and where to find how much is enough."""
    if "k1" not in evidence.frame:
        return []
    steady = [sentence for t in evidence.tables if t.name == "steady" for sentence in t.sentences]
    where = {
        "fits": "segments that a connection holds, by loss and number of connections",
        "answers": f"between which sizes the memory lies that is enough for {TARGET}",
        "example": "the appendix's 10,000 connections",
    }
    named = [f"{text} ({name}.csv)" for name, text in where.items() if len(evidence.table(name))]
    tables = [f"Tables below have {'; '.join(named)}."] if named else []
    return [*primaries.answers(evidence.primaries), *steady, *tables]


_SENDERS = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")


def _on_networks(where: Mapping[str, Any]) -> bool:
    """Tell whether a configuration is of the part that is asked of all networks."""
    return where["flows"] == _FEW and where[MEMORY] == 0


def _of_hundred(where: Mapping[str, Any]) -> bool:
    """Tell whether a configuration has 100 connections that find losses by RFC 6675."""
    return where["flows"] == _USUAL["flows"] and not where["rack"]


_MEMORY_LEVELS = {(MEMORY, size): EngFormatter(sep=" ")(size) if size else "no limit" for size in _MEMORIES}

STUDY = Study(
    name="buffers",
    title="How much memory an RNIC needs",
    lead=(
        "Many connections end in one RNIC, which places each FPDU as soon as it is whole and keeps what is not in "
        "reassembly memory (RFC 5044, Appendices A.5.2 and B.2). Senders keep FPDUs aligned with TCP segments or do "
        "not. Every octet of memory comes from segments simulated in ns\u20113."
    ),
    presets={
        "quick": Preset(
            Part("connections", {**_KINDS, **_ALIKE, "flows": [1, 10, 100], "loss": [0.001, 0.01]}, runs=3),
            _BASE, runs=6, timeout=3600,
            more=[
                *spread_over("networks", list(NETWORKS), _ASKED, _ARMS, {"flows": _FEW}, reduction=2),
                Part("a thousand connections", {**_UNALIGNED, **_ALIKE, "flows": [1000], "loss": [0.01]}, runs=2),
                Part("runs twice as long", {**_UNALIGNED, **_ALIKE, "flows": [1, 10, 100], "loss": [0.01],
                                            "octets": [2 * _OCTETS]}, runs=3),
                *_paths({**_ARMS, "markers": [True]}, runs=2),
                Part("memory of several sizes", {**_KINDS, MEMORY: [4_000, 64_000, 160_000, 0]}, runs=3),
                _by_time(4_000, 64_000),
            ],
            nuisance=_NUISANCE, goes_with=between_two,
        ),
        "full": Preset(
            {**_KINDS, **_ALIKE, "flows": [1, 3, 10, 30, 100, 300, 1000, 3000], "loss": [0.0, 0.0001, 0.001, 0.01],
             "octets": [_OCTETS, 2 * _OCTETS]},
            _BASE, runs=18, timeout=3600,
            more=[
                *spread_over("networks", list(NETWORKS), _ASKED, _ARMS, {"flows": _FEW}),
                Part("ten thousand connections", {**_KINDS, **_ALIKE, "flows": [10_000], "loss": [0.001, 0.01]}),
                *_paths(_KINDS), _limits(loss=[0.001, 0.01]), _by_time(*_MEMORIES, loss=[0.001, 0.01]),
            ],
            nuisance=_NUISANCE, goes_with=between_two,
        ),
    },
    views=_VIEWS,
    primaries=[
        Primary(_SENDERS, "k1", what, over, lambda w, markers=markers: _on_networks(w) and w["markers"] == markers,
                around=_on_networks, subject="keeping FPDUs aligned with TCP segments")
        for what, over, markers in (
            ("the reassembly memory that an RNIC holds for a connection", "with Markers, under loss", True),
            ("the reassembly memory that an RNIC holds for a connection", "without Markers, under loss", False),
        )
    ],
    questions=[
        Question(
            "Aligned against unaligned sender",
            _SENDERS,
            ["rnic_memory_mean", "rnic_memory_p99", "rnic_memory_peak", "drop_share", "goodput"],
            [
                ("all networks, with Markers", lambda w: _on_networks(w) and w["markers"]),
                ("all networks, without Markers", lambda w: _on_networks(w) and not w["markers"]),
                ("100 connections, unlimited memory", lambda w: _of_hundred(w) and w[MEMORY] == 0),
                ("100 connections, limited memory", lambda w: w[MEMORY] != 0 and not w["rack"]),
            ],
        ),
        Question(
            "Markers on against off",
            Contrast("markers", True, False, "Markers", "no Markers"),
            ["rnic_memory_mean", "rnic_memory_p99", "rnic_memory_peak", "drop_share", "goodput"],
            [
                ("100 connections, aligned sender", lambda w: w["alignment"] and _of_hundred(w)),
                ("100 connections, unaligned sender", lambda w: not w["alignment"] and _of_hundred(w)),
            ],
        ),
        Question(
            "Losses found by RACK-TLP against RFC 6675",
            Contrast("rack", True, False, "RACK-TLP", "RFC 6675"),
            ["goodput", "drop_share"],
            [
                ("100 connections, limited memory, aligned sender", lambda w: w["alignment"]),
                ("100 connections, limited memory, unaligned sender", lambda w: not w["alignment"]),
            ],
        ),
    ],
    layout=_layout("flows"),
    figures={},
    titles={
        **NUISANCES,
        "flows": "Connections",
        "link_rate": "Link rate",
        "delay": "One-way delay",
        "mtu": "MTU",
        "loss": "Loss",
        MEMORY: "RNIC memory [octets]",
        "octets": "Octets measured",
        "alignment": "Sender",
        "markers": "Markers",
        "topology": "Topology",
        "rack": "Losses found by",
    },
    levels={
        ("alignment", True): "aligned sender",
        ("alignment", False): "unaligned sender",
        ("rack", True): "RACK-TLP",
        ("rack", False): "RFC 6675",
        **_MEMORY_LEVELS,
        **{("topology", name): title for name, title in TITLES.items()},
    },
    derive=derive,
    conclude=conclude,
    refine=lambda frame, grids: refine(_limited(frame), grids),
    answer=_answer,
    factors=["link_rate", "delay", "mtu", MEMORY, "octets", "rack"],
    panels=[
        Panel("Memory over connections", "rnic_memory_p999", _layout("flows"),
              "Unlimited memory: what is not exceeded for 99.9 % of the time. Each connection has a window a round "
              "trip of 10 ms, however many there are. The dashed line is BufferSizeNAF with K1 = 1, a segment each.",
              _connections, _FORMULAS[:1]),
        Panel("Memory of a connection", "k1", _layout("flows"),
              "The same runs: the mean in segments a connection, which is what K1 stands for.", _connections),
        Panel("Memory over the link's rate", "rnic_memory_p999", _layout("link_rate"),
              "100 connections. BufferSizeTCP grows with the rate, what is held for unaligned FPDUs does not.",
              _only("link_rate"), _FORMULAS),
        Panel("Memory over the round-trip time", "rnic_memory_p999", _layout("delay"),
              "100 connections at 10 Gbit/s; BufferSizeTCP grows with the delay.", _only("delay"), _FORMULAS),
        Panel("Memory over the segment's size", "rnic_memory_p999", _layout("mtu"),
              "An EMSS is 52 octets less than the MTU here.", _only("mtu"), _FORMULAS),
        Panel("Drops over memory", "drop_share", _layout(MEMORY),
              "Memory shared by 100 connections. A segment that finds no room is dropped, and TCP sends it again.",
              _only(MEMORY)),
        Panel("Goodput over memory", "goodput", _layout(MEMORY),
              "The same runs: what the drops cost.", _only(MEMORY)),
        Panel("Goodput by how losses are found", "goodput",
              Layout(x=MEMORY, colour="rack", shape="markers", rows="topology", columns=("alignment",)),
              "Some of these runs, with senders that find losses by RACK-TLP (RFC 8985) beside those that find them by "
              "RFC 6675, which leaves a segment that is lost twice to a timeout.", _both_ways),
    ],
    warm_up="is left out: a run starts to count when every connection has carried as many octets as it counts of each",
    limits=(
        "Connections are limited by a receive window of 32 KiB and by random loss, not by the link, which is so wide "
        "on purpose that nothing is lost in queues: bursts of losses, and the many segments that wide windows have on "
        "their way, ask for more. The RNIC takes no time of its own (profile ideal)."
    ),
    notes=[
        "The RNIC has no times of its own here (profile ideal), so that memory is a matter of the protocol alone; give "
        "another with --set rnic=t5-like. The order in which connections' segments come is what TCP and random losses "
        "make it, not a cycle.",
        "Measured are 150,000 octets of each connection, once all have carried as many (half of both with 10,000 in "
        "the quick preset), which is five receive windows: "
        "slow start ends after one, as its window grows by what is acknowledged. All send until the end of the run. "
        "Connections share one pair of hosts and are limited by a receive window of 32 KiB and by losses; queues hold "
        "what windows allow. Retransmission timeouts are those of a data centre, 10 ms at least (40 ms where round "
        "trips take 10). Losses are found by RFC 6675 where nothing else is said.",
        "The quick preset leaves out 1,000 connections with 0.1 % loss but for an unaligned sender with Markers, and "
        "has runs that are twice as long and 10,000 connections for that sender alone, with one loss each.",
    ],
)  # fmt: skip
