# SPDX-License-Identifier: GPL-2.0-only
"""Tables of the compare study: what messages and links met on each kind of path, by size, and the state of a NIC."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd

from ..analysis.stats import estimate
from ..parameters.quantity import human
from ..report.cells import Cell, number
from ..report.page import Table
from .transports import by_size, compare_halves, sizes_of, slowdown, tell_steadiness

MIXES = {
    "cdf:alistorage2019": "AliStorage",
    "cdf:fb-hadoop": "FB_Hadoop",
    "cdf:websearch": "WebSearch",
    "cdf:websearch-tenth": "WebSearch, a tenth",
    "cdf:googlerpc2008": "RPCs",
    "fixed:65536": "64 KiB",
}  #: names of mixes of sizes
_SLOWDOWNS = [
    ("slowdown_p50", "median"), ("slowdown_mean", "mean"), ("slowdown_p95", "95th percentile"),
    ("slowdown_p99", "99th percentile"),
]  # fmt: skip
_BITMAPS = 5  #: of a window's packets each, that IRN adds to a queue pair: as remembered of its paper, not checked

#: octets that adapters keep of a connection: transports, octets, what they are, and where that is said
_CONTEXTS: list[tuple[str, int, str]] = [
    ("iWARP", 128, "TCP alone (TCB) of Chelsio's T4 to T6, without MPA and RDMAP: TCB_SIZE of FreeBSD's cxgbetool"),
    ("iWARP", 256, "queue pair of Intel's E810: IRDMA_QP_CTX_SIZE of Linux's irdma, the same for both protocols"),
    ("RoCE", 256, "queue pair of Intel's E810: IRDMA_QP_CTX_SIZE of Linux's irdma, the same for both protocols"),
    ("RoCE", 232, "queue pair of ConnectX: mlx5_ifc_qpc_bits of Linux's mlx5, 1856 bits"),
]


def tabulate(frame: pd.DataFrame) -> list[Table]:
    """Return a table for each kind of path, slowdowns by size of message, and the state of a connection."""
    if "slowdown_p99" not in frame:
        return []
    kinds: list[tuple[str, str, str, Callable[[pd.DataFrame], pd.Series], str]] = [
        ("clean", "Clean paths", "message_sizes", lambda f: (f["loss"] == 0) & (f["incast_senders"] == 0), "Messages"),
        ("loss", "Random loss", "loss", lambda f: f["loss"] > 0, "Loss"),
        ("incast", "Incasts", "incast_senders", lambda f: f["topology"] == "star", "Senders"),
    ]
    found = []
    for name, title, factor, where, heading in kinds:
        runs = frame[where(frame)]
        if not runs.empty:
            found.append(_paths(name, title, factor, heading, runs))
    return [*found, *_sizes(frame), *_fairness(frame), _state(frame)]


def _paths(name: str, title: str, factor: str, heading: str, runs: pd.DataFrame) -> Table:
    """Return what messages and links met, a row for each level of a factor and transport."""
    rows = []
    for (level, transport), part in runs.groupby([factor, "transport"], sort=False):
        row: dict[str, object] = {heading: _level(factor, level), "Transport": transport}
        for metric, of in _SLOWDOWNS:
            if metric in part and runs[metric].notna().any():
                row[f"Slowdown, {of}"] = slowdown(part, metric)
        row["Dropped packets"] = number(part["queue_drops"].mean(), form=",.0f")
        row["Timeouts"] = number(part["timeouts"].mean())
        row["Sent again"] = number(part["resent_share"].mean(), "share")
        row["Hosts paused"] = _paused(transport, part["host_pause_share"])
        row["The most paused"] = _paused(transport, part["host_pause_share_max"])
        row["RNIC memory, peak"] = number(part["rnic_memory_peak"].mean(), "octets", form=",.0f")
        rows.append(row)
    halves = compare_halves(runs)
    text = (
        "Slowdown is the time of a message from posting to its last octet, over that which it takes alone on the empty "
        "path; means over runs, networks and loads, ± half of a 95 % interval, where each of the runs has messages "
        "enough. Hosts paused is for what share of the time those that send were, and the most paused of them."
    )
    sentences = [*([tell_steadiness(title, halves)] if halves else []), *_tell_pauses(title, runs)]
    return Table(f"paths-{name}", title, text, pd.DataFrame(rows), sentences)


def _tell_pauses(title: str, runs: pd.DataFrame) -> list[str]:
    """Say for what share of the time hosts pause with each transport over links that can, if any do."""
    shares = {
        str(transport): part["host_pause_share"]
        for transport, part in runs.groupby("transport", sort=False)
        if str(transport).startswith("RoCE")
    }
    if not any((share > 0).any() for share in shares.values()):
        return []
    told = ", ".join(
        f"{human(share.mean(), 'share')} of the time with {name} (in {int((share > 0).sum())} of {len(share)} runs)"
        for name, share in shares.items()
    )
    return [f"{title}: hosts that send pause for {told}, on average."]


def _paused(transport: str, shares: pd.Series) -> Cell | str:
    return number(shares.mean(), "share") if transport.startswith("RoCE") else "\N{EN DASH}"


def _level(factor: str, level: float | str) -> Cell | str:
    if factor == "message_sizes":
        return MIXES.get(str(level), str(level))
    return number(float(level), "share" if factor == "loss" else "")


def _sizes(frame: pd.DataFrame) -> list[Table]:
    """Return the slowdown by size on clean paths, a row for each mix and transport."""
    runs = frame[(frame["loss"] == 0) & (frame["incast_senders"] == 0)]
    sizes = sizes_of(runs)
    if len(sizes) < 2:
        return []
    rows = [
        {"Messages": _level("message_sizes", mix), "Transport": transport, **by_size(part, sizes)}
        for (mix, transport), part in runs.groupby(["message_sizes", "transport"], sort=False)
    ]
    text = (
        "Median and 99th percentile of the slowdown of messages of up to so many octets, and of more than a tenth of "
        "that; means over the runs that have messages enough."
    )
    return [Table("sizes", "Clean paths, by size of message", text, pd.DataFrame(rows))]


def _fairness(frame: pd.DataFrame) -> list[Table]:
    """Return what long flows into one host get, from its leaf and from another."""
    runs = frame[(frame["incast_senders"] > 0) & (frame["topology"] == "leaf-spine")]
    if runs.empty or "common_fairness" not in runs:
        return []
    rows = []
    for transport, part in runs.groupby("transport", sort=False):
        index, rate = estimate(part["common_fairness"]), estimate(part["common_goodput"])
        rows.append({
            "Transport": transport,
            "Jain's index": number(index.mean, half=index.half, bounds=(0, 1)),
            "Goodput": number(rate.mean, "bit/s", rate.half),
            "Sent again": number(part["resent_share"].mean(), "share"),
            "Dropped packets": number(part["queue_drops"].mean(), form=",.0f"),
        })  # fmt: skip
    text = (
        "Long flows of all other hosts into one, of which some share its leaf and others come over the spines, while "
        "all of them run: Jain's index is 1 if all get the same, and 1/n if one of n gets all."
    )
    return [Table("fairness", "Fairness of long flows", text, pd.DataFrame(rows))]


def _state(frame: pd.DataFrame) -> Table:
    """Return what an adapter holds for a connection: published contexts, and what runs show besides."""
    rows: list[dict[str, object]] = [
        {"Transport": transport, "Of": "a connection", "Octets": number(octets, "octets", form=","), "What": what}
        for transport, octets, what in _CONTEXTS
    ]
    window = _most(frame, "roce_window", ["IRN"])
    if window > 0:
        rows.append({
            "Transport": "IRN",
            "Of": "a connection",
            "Octets": number(_BITMAPS * math.ceil(window / 8), "octets", form=","),
            "What": f"besides RoCE's: {_BITMAPS} bitmaps of its window, here {window:.0f} packets (number of bitmaps "
                    "as remembered of Mittal et al., SIGCOMM 2018, not checked)",
        })  # fmt: skip
    ours = sorted(name for name in frame["transport"].unique() if name.startswith("iWARP"))
    memory = _most(frame, "rnic_memory_peak", ours)
    if ours and not math.isnan(memory):
        rows.append({
            "Transport": "iWARP",
            "Of": "all RNICs together",
            "Octets": number(memory, "octets", form=",.0f"),
            "What": "beside contexts: the most that waited for reassembly in any run",
        })  # fmt: skip
    text = (
        "Published sizes of contexts are those that drivers hand to adapters, of which TCP's state and that of RDMA "
        "over it are of one size; what adapters keep besides is not known. Mittal et al. say that IRN takes 3 to 10 % "
        "more of a NIC than RoCE."
    )
    return Table("state", "State of a connection", text, pd.DataFrame(rows))


def _most(frame: pd.DataFrame, metric: str, transports: Sequence[str]) -> float:
    """Return the greatest value of a metric over the runs of transports; NaN of none."""
    if metric not in frame:
        return math.nan
    return float(frame.loc[frame["transport"].isin(transports), metric].max())
