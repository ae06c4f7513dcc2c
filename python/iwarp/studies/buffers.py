# SPDX-License-Identifier: GPL-2.0-only
"""How much reassembly memory an RNIC needs (RFC 5044, Appendices A.5.2 and B.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd
from matplotlib.ticker import EngFormatter
from scipy import stats

from ..findings import Contrast, View
from ..plots import Layout, Reference
from ..quantity import human, number_text
from ..report import Table
from ..stats import estimate
from .study import Panel, Preset, Question, Study

_MEMORIES = [140, 1_600, 4_000, 16_000, 64_000, 100_000, 160_000, 1_000_000, 0]
MEMORY = "Rnic.ReassemblyMemory.Capacity"  #: octets of an RNIC's reassembly memory; 0 is no limit
_KINDS = {"alignment": [True, False], "markers": [True, False]}
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
    "queue_size": "20000p",
    "octets": 0,
    "duration": "20ms",
    "start_spread": "1ms",
    "message_sizes": "fixed:8192",
    "send_buffer": 65536,
    "receive_buffer": 262144,
    "min_rto": "10ms",
    "delayed_ack": "1ms",
    "plain_tcp": False,
    **{name: levels[0] for name, levels in _KINDS.items()},
}
_CONNECTIONS = {**_KINDS, "flows": [1, 10, 100, 1000], "loss": [0.001, 0.01]}
_MANY = {"alignment": [True, False], "flows": [10_000], "loss": [0.001], "link_rate": ["40Gbps"], "duration": ["40ms"]}
_DELAYS = {**_KINDS, "delay": ["5us", "500us", "2ms"]}
_SIZES = {**_KINDS, "mtu": [576, 9052]}
_LIMITED = {**_KINDS, MEMORY: _MEMORIES}


def _rates(levels: Sequence[tuple[str, str]]) -> list[dict]:
    """Return a grid a rate: the faster, the shorter, so that each carries about as many segments."""
    return [{**_KINDS, "link_rate": [rate], "duration": [duration]} for rate, duration in levels]


_VIEWS = [
    View("rnic_memory_peak", "Memory, peak", higher_is_better=False, log=True),
    View("rnic_memory_p99", "Memory, 99th percentile", higher_is_better=False, log=True),
    View("rnic_memory_holders_peak", "Connections that hold memory", higher_is_better=False, log=True),
    View("rnic_memory_stay_mean", "Stay in memory, mean", higher_is_better=False, log=True),
    View("k1", "Segments held a connection", "EMSS",
         "The peak over EMSS times connections: what K1 of BufferSizeNAF stands for.", False, True),
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


_USUAL = {"flows": 100, "delay": 50e-6, "mtu": 1552, "loss": 0.01, MEMORY: 0, "link_rate": 10_000_000_000}


def _only(*free: str) -> Callable[[pd.DataFrame], pd.Series]:
    """Return what picks configurations as in the base, but for ``free``."""

    def where(frame: pd.DataFrame) -> pd.Series:
        usual = pd.Series(True, index=frame.index)
        for name, value in _USUAL.items():
            if name not in free:
                usual &= frame[name] == value
        return usual

    return where


def _connections(frame: pd.DataFrame) -> pd.Series:
    """Pick the runs over connections, and the example, which has a faster link."""
    example = _only("flows", "loss", "link_rate")(frame) & (frame["flows"] == 10_000)
    return _only("flows", "loss")(frame) | example


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the ratios that the study speaks of."""
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    drops = [c for c in frame if c.startswith("rnic_drops_memory_")]
    if drops:
        frame["drop_share"] = frame[drops].sum(axis=1) / frame["segments_sent"].where(frame["segments_sent"] > 0)
        frame["k1"] = frame["rnic_memory_peak"] / (frame["emss"] * frame["flows"])
        units |= {"drop_share": "share", "k1": "EMSS"}
    frame.attrs["units"] = units
    return frame


def fit(runs: pd.DataFrame) -> dict[str, float]:
    """Fit peak = K1 EMSS connections + K2 EMSS by least squares, with 95 % intervals by Student's t.

    @param runs rows with rnic_memory_peak, emss and flows, of at least three runs and two numbers of connections
    @return k1, k1_half, k2, k2_half (halves of the intervals) and r2, the share of the variance explained
    """
    line = stats.linregress(runs["flows"], runs["rnic_memory_peak"] / runs["emss"])
    t = float(stats.t.ppf(0.975, len(runs) - 2))
    return {
        "k1": float(line.slope),
        "k1_half": t * float(line.stderr),
        "k2": float(line.intercept),
        "k2_half": t * float(line.intercept_stderr),
        "r2": float(line.rvalue) ** 2,
    }


def _kind(alignment: bool, markers: bool) -> str:
    return f"{'aligned' if alignment else 'unaligned'}, {'Markers' if markers else 'no Markers'}"


def _pm(value: float, half: float) -> str:
    text = number_text(value)
    return text if math.isnan(half) or half == 0 else f"{text} ± {number_text(half, 2)}"


def _fits(frame: pd.DataFrame) -> Table | None:
    rows, sentences = [], []
    free = frame[_only("flows", "loss")(frame)]
    for (loss, alignment, markers), runs in free.groupby(["loss", "alignment", "markers"], sort=True):
        if runs["flows"].nunique() < 2 or len(runs) < 3:
            continue
        found = fit(runs)
        tcp = estimate(runs["rnic_memory_peak"] / runs["buffer_size_tcp"])
        rows.append(
            {
                "Loss": f"{100 * loss:g} %",
                "Sender": _kind(alignment, markers),
                "Connections": f"{runs['flows'].min()} to {runs['flows'].max():,}",
                "K1": _pm(found["k1"], found["k1_half"]),
                "K2": _pm(found["k2"], found["k2_half"]),
                "R²": "n/a" if math.isnan(found["r2"]) else number_text(found["r2"]),
                "Peak over BufferSizeTCP (K = 1)": _pm(tcp.mean, tcp.half),
            }
        )
        if markers:
            grows = abs(found["k1"]) > found["k1_half"] and found["k1"] > 0.001
            sentences.append(
                f"With {100 * loss:g} % loss and Markers, {'an aligned' if alignment else 'an unaligned'} sender's "
                + (
                    f"receiver needs {_pm(found['k1'], found['k1_half'])} segments more memory with each connection."
                    if grows
                    else f"receiver needs no more memory with more connections (K1 = "
                    f"{_pm(found['k1'], found['k1_half'])}, K2 = {_pm(found['k2'], found['k2_half'])})."
                )
            )
    if not rows:
        return None
    text = (
        "Least squares of the peak over connections, peak = K1 · EMSS · connections + K2 · EMSS, with 95 % intervals "
        "over the runs: the form of BufferSizeNAF; BufferSizeAF is the same without the first term. BufferSizeTCP is "
        "bandwidth times round-trip time, whatever the number of connections."
    )
    return Table("fits", "The formulas of RFC 5044 Appendix B.2", text, pd.DataFrame(rows), sentences)


def _example(frame: pd.DataFrame) -> Table | None:
    rows, sentences = [], []
    for (alignment, markers), runs in frame[frame["flows"] == 10_000].groupby(["alignment", "markers"], sort=True):
        peak, formula = estimate(runs["rnic_memory_peak"]), float(runs["buffer_size_naf"].mean())
        holders = estimate(runs["rnic_memory_holders_peak"])
        rows.append(
            {
                "Sender": _kind(alignment, markers),
                "Runs": len(runs),
                "Peak [octets]": _pm(peak.mean, peak.half),
                "Connections that hold memory": _pm(holders.mean, holders.half),
                "BufferSizeNAF, K1 = 1 [octets]": f"{formula:,.0f}",
                "Peak over it": number_text(peak.mean / formula),
                "Dropped segments": f"{runs['segments_dropped'].sum():,.0f}",
            }
        )
        sentences.append(
            f"{'An aligned' if alignment else 'An unaligned'} sender on 10,000 connections: the RNIC holds "
            f"{human(peak.mean, 'octets')} at the most, {number_text(peak.mean / formula)} times what the formula says."
        )
    if not rows:
        return None
    text = (
        "10,000 connections with an EMSS of 1500 octets into one RNIC, each segment simulated. The appendix computes "
        "15 MB for data that is not aligned, and some hundreds of KB for data that is."
    )
    return Table("example", "The example of Appendix B.2, simulated", text, pd.DataFrame(rows), sentences)


def _answers(frame: pd.DataFrame) -> Table | None:
    """Return the least memory of those tried that is as good as any, for three targets."""
    limited = frame[_only(MEMORY)(frame)]
    rows, sentences = [], []
    for (alignment, markers), runs in limited.groupby(["alignment", "markers"], sort=True):
        means = runs.groupby(MEMORY)[["goodput", "drop_share"]].mean()
        if 0 not in means.index or len(means) < 3:
            continue
        best = means.loc[0, "goodput"]
        sizes = means.drop(index=0).sort_index()

        def least(good: pd.Series, sizes: pd.DataFrame = sizes) -> str:
            # good from there on, not by chance at one size
            enough = good[::-1].cummin()[::-1]
            return f"{sizes.index[enough][0]:,}" if enough.any() else "more than tried"

        row = {
            "Sender": _kind(alignment, markers),
            "for 90 % of the goodput [octets]": least(sizes["goodput"] >= 0.90 * best),
            "for 99 % of the goodput [octets]": least(sizes["goodput"] >= 0.99 * best),
            "for no drop at all [octets]": least(sizes["drop_share"] == 0),
            "goodput without limit": human(best, "bit/s"),
        }
        rows.append(row)
        sentences.append(
            f"{row['Sender'].capitalize()}: {row['for 99 % of the goodput [octets]']} octets give 99 % of the goodput "
            "that unlimited memory gives."
        )
    if not rows:
        return None
    text = (
        "100 connections at 10 Gbit/s with 1 % loss, memory shared by all of them. The least of the sizes tried from "
        "which on, in the mean over the runs, the target is met."
    )
    return Table("answers", "How much memory for a target", text, pd.DataFrame(rows), sentences)


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's tables: fits, the example of the appendix, the memory for given targets."""
    if "rnic_memory_peak" not in frame:
        return []
    return [table for table in (_fits(frame), _example(frame), _answers(frame)) if table]


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
            _CONNECTIONS, _BASE, runs=3, timeout=300,
            more=[_MANY, *_rates([("40Gbps", "5ms"), ("100Gbps", "2ms"), ("400Gbps", "1ms")]), _DELAYS, _SIZES,
                  _LIMITED],
        ),
        "full": Preset(
            {**_CONNECTIONS, "flows": [1, 3, 10, 30, 100, 300, 1000, 3000], "loss": [0.0, 0.0001, 0.001, 0.01]},
            _BASE, runs=10, timeout=1800,
            more=[
                {**_MANY, "markers": [True, False], "loss": [0.001, 0.01]},
                *_rates([("40Gbps", "20ms"), ("100Gbps", "10ms"), ("400Gbps", "5ms")]),
                {**_DELAYS, "duration": ["100ms"]}, _SIZES,
                {**_LIMITED, "loss": [0.001, 0.01]},
            ],
        ),
    },
    views=_VIEWS,
    questions=[
        Question(
            "Aligned against unaligned sender",
            Contrast("alignment", True, False, "an aligned sender", "an unaligned sender"),
            ["rnic_memory_peak", "rnic_memory_p99", "rnic_memory_holders_peak", "drop_share", "goodput"],
            [
                ("unlimited memory, with Markers", lambda w: w[MEMORY] == 0 and w["markers"]),
                ("unlimited memory, without Markers", lambda w: w[MEMORY] == 0 and not w["markers"]),
                ("limited memory", lambda w: w[MEMORY] != 0),
            ],
        ),
        Question(
            "Markers on against off",
            Contrast("markers", True, False, "Markers", "no Markers"),
            ["rnic_memory_peak", "rnic_memory_p99", "drop_share", "goodput"],
            [
                ("aligned sender", lambda w: w["alignment"]),
                ("unaligned sender", lambda w: not w["alignment"]),
            ],
        ),
    ],
    layout=_layout("flows"),
    figures={},
    titles={
        "flows": "Connections",
        "link_rate": "Link rate",
        "delay": "One-way delay",
        "mtu": "MTU",
        "loss": "Loss",
        MEMORY: "RNIC memory [octets]",
        "duration": "Time simulated",
        "alignment": "Sender",
        "markers": "Markers",
    },
    levels={
        ("alignment", True): "aligned sender",
        ("alignment", False): "unaligned sender",
        **_MEMORY_LEVELS,
    },
    derive=derive,
    conclude=conclude,
    factors=["link_rate", "delay", "mtu", MEMORY],
    panels=[
        Panel("Memory over connections", "rnic_memory_peak", _layout("flows"),
              "Unlimited memory: the most that is in use. The dashed line is BufferSizeNAF with K1 = 1, one segment a "
              "connection; the dotted one BufferSizeTCP. 10,000 connections have a faster link (40 Gbit/s).",
              _connections, _FORMULAS),
        Panel("Memory over the link's rate", "rnic_memory_peak", _layout("link_rate"),
              "100 connections. BufferSizeTCP grows with the rate, what is held for unaligned FPDUs does not.",
              _only("link_rate"), _FORMULAS),
        Panel("Memory over the round-trip time", "rnic_memory_peak", _layout("delay"),
              "100 connections at 10 Gbit/s; BufferSizeTCP grows with the delay.", _only("delay"), _FORMULAS),
        Panel("Memory over the segment's size", "rnic_memory_peak", _layout("mtu"),
              "An EMSS is 52 octets less than the MTU here.", _only("mtu"), _FORMULAS),
        Panel("Drops over memory", "drop_share", _layout(MEMORY),
              "Memory shared by 100 connections. A segment that finds no room is dropped, and TCP sends it again.",
              _only(MEMORY)),
        Panel("Goodput over memory", "goodput", _layout(MEMORY),
              "The same runs: what the drops cost.", _only(MEMORY)),
    ],
    notes=[
        "The RNIC has no times of its own here (profile ideal), so that memory is a matter of the protocol alone; give "
        "another with --set rnic=t5-like. Runs last a fixed time and count the payload that was complete by then.",
        "Connections share one pair of hosts and one bottleneck. Retransmission timeouts are those of a data centre, "
        "10 ms at least.",
    ],
)  # fmt: skip
