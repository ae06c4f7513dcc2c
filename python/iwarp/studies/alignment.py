# SPDX-License-Identifier: GPL-2.0-only
"""What it buys to keep FPDUs aligned with TCP segments (RFC 5044, Appendices A and B)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..analysis.comparison import Comparison, turned
from ..analysis.findings import Contrast, View, effect_text, explore
from ..analysis.primary import Primary, pool
from ..analysis.selection import Selection
from ..analysis.stats import Estimate, estimate
from ..parameters.quantity import human
from ..report.cells import Cell
from ..report.chart import Layout
from ..report.page import Table
from .alignment_conditions import TOLD, UNDISTURBED, condition, conditions
from .networks import NETWORKS, NUISANCES, TITLES, across
from .pages import write_pages
from .primaries import answers, by_text
from .study import Evidence, Preset, Question, Study

_GRID = {"topology": list(NETWORKS), "alignment": [True, False], "markers": [True, False]}
_BASE = {"flows": 4, "host_pairs": 0, "spread_starts": True}
_NUISANCE = {"queue_size": (1, 1.03, 1.1)}  #: phases of flows at a queue can turn with a few packets

#: what each network is, and what else is looked at there
_ABOUT = {name: network.about for name, network in NETWORKS.items()}
for _name, _more in (
    ("dumbbell", "Here congestion controls, jumbo frames, an MTU that changes in mid-run and RNICs are looked at too."),
    ("leaf-spine", "Packets go by flow, and packet by packet."),
    ("fat-tree", "Packets go by flow, and packet by packet."),
    ("wan", "Here a geostationary satellite is looked at too."),
):
    _ABOUT[_name] += f" {_more}"

_VIEWS = [
    View("header_aligned_share", "Segments that begin with an FPDU"),
    View("fpdu_aligned_share", "Segments of whole FPDUs only"),
    View("out_of_order_share", "FPDUs passed out of order", "share",
         "FPDUs that the receiver passed on for placement before the octets in front of them had come, of all FPDUs."),
    View("reassembly_peak", "Reassembly memory, peak", higher_is_better=False, log=True),
    View("reassembly_p99", "Reassembly memory, 99th percentile", higher_is_better=False, log=True, relevant=1500.0,
         absolute=True),
    View("placement_wait_mean", "Arrival to placement, mean", higher_is_better=False, log=True),
    View("placement_wait_p99", "Arrival to placement, 99th percentile", higher_is_better=False, log=True),
    View("arrival_to_host", "RNIC: arrival to host memory, mean", "s",
         "From a frame's arrival at the RNIC until the host sees what it brought: through the RNIC to TCP, waiting for "
         "placement, and from there to the host; the sum of the three means.", False, True),
    View("rnic_place_delay_mean", "RNIC: from TCP to the host, mean", higher_is_better=False, log=True),
    View("rnic_place_delay_p99", "RNIC: from TCP to the host, 99th percentile", higher_is_better=False, log=True),
    View("goodput", "Goodput", higher_is_better=True, log=True),
    View("goodput_ratio", "Goodput against plain TCP", "ratio",
         "Goodput over that of plain ns-3 TCP with the same payload in the same conditions.", True),
    View("message_time_mean", "Time of a message, mean", higher_is_better=False, log=True, relevant=0.02),
    View("message_time_p99", "Time of a message, 99th percentile", higher_is_better=False, log=True),
    View("segments_sent", "Segments sent", higher_is_better=False),
    View("segments_ratio", "Segments against plain TCP", "ratio",
         "Data segments sent, retransmissions included, over those of plain ns-3 TCP for the same payload.", False),
    View("octets_ratio", "Octets on the wire against plain TCP", "ratio",
         "Octets of the IP datagrams that senders sent, over those of plain ns-3 TCP for the same payload.", False),
    View("bottleneck_share", "Share of the bottleneck"),
]  # fmt: skip

_HOW = "Blue circles are the aligned sender, red squares the unaligned one; filled with Markers, open without."

_FIGURES = {
    "header_aligned_share": "Segments, as the receiver gets them, at whose beginning it finds an FPDU's head. " + _HOW,
    "fpdu_aligned_share": "Segments that can be placed without waiting for others. FPDUs cut at the edge of a window "
    "or by a window probe show as the part that an aligned sender lacks to 100 %.",
    "out_of_order_share": "Placed before the gap in front of them was filled, which spares reassembly memory. "
    "RFC 5044 allows it with Markers only (filled shapes).",
    "reassembly_p99": "The memory of all receivers that is enough for 99 % of the time.",
    "message_time_mean": "From the posting of a message until the receiver has all of it.",
    "goodput": "What the application gets. Compare inside a condition: links and messages are the same there.",
}


def _derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the conditions by name, and the ratios that the study speaks of."""
    frame = frame.copy()
    frame["condition"] = [condition(run) for run in frame.to_dict("records")]
    units = dict(frame.attrs["units"])
    for name, over, under, unit in (
        ("out_of_order_share", "fpdus_passed_out_of_order", "fpdus_sent", "share"),
        ("segments_ratio", "segments_sent", "plain_tcp_segments", "ratio"),
        ("octets_ratio", "octets_on_wire", "plain_tcp_octets", "ratio"),
        ("goodput_ratio", "goodput", "plain_tcp_goodput", "ratio"),
    ):
        if over in frame and under in frame:
            frame[name] = frame[over] / frame[under].where(frame[under] > 0)
            units[name] = unit
    if "rnic_place_delay_mean" in frame:
        parts = ["rnic_receive_delay_mean", "placement_wait_mean", "rnic_place_delay_mean"]
        frame["arrival_to_host"] = frame[parts].sum(axis=1, skipna=False)
        units["arrival_to_host"] = "s"
    frame.attrs["units"] = units
    return frame


def _calm(where: Mapping[str, Any]) -> bool:
    return where["condition"] == UNDISTURBED


def _many(where: Mapping[str, Any]) -> bool:
    """Tell whether there are so many connections that what receivers hold is of another size."""
    return "connections of two hosts" in where["condition"]


def _disturbed(where: Mapping[str, Any]) -> bool:
    return not _calm(where) and not _many(where)


_CALM = ("nothing added to the path", _calm)
_WITH = ("disturbed, with Markers", lambda w: _disturbed(w) and w["markers"])
_WITHOUT = ("disturbed, without Markers", lambda w: _disturbed(w) and not w["markers"])
_ALIGNED = ("disturbed, aligned sender", lambda w: _disturbed(w) and w["alignment"])
_UNALIGNED = ("disturbed, unaligned sender", lambda w: _disturbed(w) and not w["alignment"])
_CROWD = ("many connections of two hosts", _many)


def _kept(evidence: Evidence) -> dict[str, pd.Series]:
    """Return the share of aligned segments at the receiver, run by run, of an aligned sender in each condition."""
    frame = evidence.frame
    if frame.empty or "fpdu_aligned_share" not in frame:
        return {}
    aligned = frame[frame["alignment"].astype(bool) & frame["fpdu_aligned_share"].notna()]
    # one value a run: with and without Markers it has the same random numbers
    return {
        name: runs.groupby("run")["fpdu_aligned_share"].mean()
        for name, runs in aligned.groupby("condition", sort=False)
    }


def _share(values: Sequence[float]) -> Cell:
    """Return the mean with its interval, which ends where shares do."""
    found = estimate(values)
    return Cell(_share_text(found), found.mean, "share", found.half)


def _share_text(found: Estimate) -> str:
    text, low, high = human(found.mean, "share"), found.mean - found.half, found.mean + found.half
    if not found.half > 5e-5:
        return text
    if low < 0 or high > 1:
        return f"{text} ({human(max(low, 0.0), 'share')} to {human(min(high, 1.0), 'share', 2)})"
    return f"{text} ± {human(found.half, 'share', 2)}"


def _least(kept: Mapping[str, pd.Series]) -> tuple[str, pd.Series]:
    """Return the condition that leaves the least alignment, with those that all pairs do not show to leave more."""
    name, least = min(kept.items(), key=lambda item: estimate(item[1]).mean)
    chosen = Selection(pd.DataFrame({c: values for c, values in kept.items() if values.index.equals(least.index)}))
    alike = [c for c in chosen.values if c != name and not chosen.difference(c, name).is_shown]
    others = f"{len(alike)} others" if len(alike) > 2 else " or ".join(alike)
    return f"{name}; not shown to differ: {others}" if alike else name, least


def _early(evidence: Evidence) -> Comparison | None:
    return evidence.average("out_of_order_share", _ALIGNED[0], "markers")


def _spared(evidence: Evidence) -> Comparison | None:
    return evidence.average("reassembly_p99", _ALIGNED[0], "markers")


def _memory(evidence: Evidence) -> Comparison | None:
    found = evidence.average("reassembly_p99", _WITH[0], "alignment")
    return turned(found) if found else None


def _time(evidence: Evidence) -> Comparison | None:
    found = evidence.average("message_time_mean", _WITH[0], "alignment")
    return turned(found) if found else None


def _answer(evidence: Evidence) -> list[str]:
    """Say what alignment and Markers change, then how far alignment survives and what else is seen of it."""
    kept = _kept(evidence)
    if not kept:
        return []
    said = answers(evidence.primaries)
    name, least = _least(kept)
    lead = []
    if UNDISTURBED in kept:
        lead.append(f"{_share(kept[UNDISTURBED])} of an aligned sender's segments arrive as whole FPDUs where nothing "
                    "is added to the path")  # fmt: skip
    if not name.startswith(UNDISTURBED) and len(kept) > 1:
        whole = sum(estimate(values).mean >= 0.999 for values in kept.values())
        lead.append(f"{_share(least)} in the worst of {len(kept)} conditions ({name}); {whole} of them leave 99.9 % or "
                    "more")  # fmt: skip
    points = []
    early, spared, memory, time = _early(evidence), _spared(evidence), _memory(evidence), _time(evidence)
    if early:
        what = "the share of an aligned sender's FPDUs that are placed before the octets in front of them have come"
        points.append(_told("Markers", what, early))
    if spared:
        what = "the reassembly memory that is enough for its receivers for 99 % of the time"
        points.append(_told("Markers", what, spared))
    if memory:
        what = "the reassembly memory that is enough for 99 % of the time, with Markers,"
        points.append(_told("A sender that is not aligned", what, memory))
    if time:
        points.append(_told("Such a sender", "the mean time of a message, with Markers,", time))
    return [*said, f"{', '.join(lead)}.", *points]


def _is_shown(found: Comparison) -> bool:
    return found.verdict in ("lower", "higher", "same")


def _told(who: str, what: str, found: Comparison) -> str:
    """Say by how much somebody changes something, or to how many times what it was, or that it is not shown."""
    several = who == "Markers"
    if found.verdict == "same":
        return f"{who} {'change' if several else 'changes'} {what} by nothing, {_over(found)}."
    if _is_shown(found):
        return f"{who} {'change' if several else 'changes'} {what} {by_text(found)}, {_over(found)}."
    clear = found.test.low > 0 or found.test.high < 0
    why = "; beside the other averages these are too few runs" if clear else ""
    is_not = f"{who} {'are' if several else 'is'} not shown to change {what.rstrip(',')}"
    return f"{is_not}: {effect_text(found)}, {_over(found)}{why}."


def _over(found: Comparison) -> str:
    return f"on average over {found.where['configurations']} conditions and {found.test.n} pairs of runs"


_COLUMNS = {
    "Markers buy back: FPDUs placed early": (
        "out_of_order_share",
        "markers",
        lambda w: not _calm(w) and w["alignment"],
    ),
    "Markers buy back: memory": ("reassembly_p99", "markers", lambda w: not _calm(w) and w["alignment"]),
    "Unaligned pays: memory": ("reassembly_p99", "alignment", lambda w: not _calm(w) and w["markers"]),
    "Unaligned pays: mean time of a message": (
        "message_time_mean",
        "alignment",
        lambda w: not _calm(w) and w["markers"],
    ),
}  #: metric, factor and conditions of the columns of the first page


def _effects(pages: Sequence[tuple[str, Evidence]]) -> dict[tuple[str, str], list[Comparison | None]]:
    """Return the effects of each column by topology and condition: "" is the mean of those that all topologies have."""
    found: dict[tuple[str, str], list[Comparison | None]] = {}
    for at, (metric, factor, wanted) in enumerate(_COLUMNS.values()):
        of_page = {
            title: {
                c.where["condition"]: c
                for c in evidence.comparisons
                if (c.view.metric, c.contrast.factor) == (metric, factor) and wanted(c.where)
            }
            for title, evidence in pages
        }
        common = set.intersection(*(set(of_one) for of_one in of_page.values()))
        for title, on_page in of_page.items():
            alike = pool([c for name, c in on_page.items() if name in common])
            others = {name: c for name, c in on_page.items() if name not in common}
            for name, c in {"": alike, **others}.items():
                row = found.setdefault((title, name), [None] * len(_COLUMNS))
                row[at] = turned(c) if c and factor == "alignment" else c
    judged = iter(explore([c for row in found.values() for c in row if c]))
    return {place: [next(judged) if c else None for c in row] for place, row in found.items()}


def _overview(pages: Sequence[tuple[str, Evidence]]) -> Table:
    """Put all topologies into one table: what all of them have, then the conditions of some by themselves."""
    rows, others, columns, calm, worst = [], [], [], [], []
    kept_on = [(title, kept) for title, evidence in pages if (kept := _kept(evidence))]
    effects = _effects(pages) if pages else {}
    common = set.intersection(*(set(kept) for _, kept in kept_on)) - {UNDISTURBED} if kept_on else set()
    for title, kept in kept_on:
        shared = {name: values for name, values in kept.items() if name in common} or kept
        name, least = _least(shared)
        found = effects.get((title, ""), [None] * len(_COLUMNS))
        columns.append(found)
        calm += [estimate(kept[UNDISTURBED]).mean] if UNDISTURBED in kept else []
        worst.append((estimate(least).mean, name))
        rows.append({
            "Topology": title,
            "Conditions": f"{len(common)} that all have" if len(kept_on) > 1 else f"{len(kept)}",
            "Alignment kept, nothing added": _share(kept[UNDISTURBED]) if UNDISTURBED in kept else "",
            "Alignment kept, worst condition": _share(least),
            "Worst condition": name,
            **dict(zip(_COLUMNS, map(_cell, found), strict=True)),
            "Pairs of runs": max((c.test.n for c in found if c), default=0),
        })  # fmt: skip
        others += [{
            "Topology": title,
            "Conditions": condition,
            "Alignment kept, nothing added": "",
            "Alignment kept, worst condition": _share(kept[condition]) if condition in kept else "",
            "Worst condition": "",
            **dict(zip(_COLUMNS, map(_cell, row), strict=True)),
            "Pairs of runs": max((c.test.n for c in row if c), default=0),
        } for (where, condition), row in effects.items() if where == title and condition]  # fmt: skip
    return Table(
        "topologies",
        "All topologies",
        "Alignment kept is the share of an aligned sender's segments that hold whole FPDUs only when they arrive. The "
        "four columns behind it are averages over the conditions in which something is added to the path, those that "
        "all topologies have: an aligned sender with Markers against one without; an unaligned sender against an "
        "aligned one, both with Markers. Conditions of some topologies follow in rows of their own. Memory is what all "
        "receivers together need for reassembly for 99 % of the time. Intervals are those of 95 %; (–) is a difference "
        "that is not shown, all of this table being one family (Benjamini and Hochberg).",
        pd.DataFrame([*rows, *others]),
        _sum_up(calm, worst, [[c for c in column if c] for column in zip(*columns, strict=True)]),
    )


def _sum_up(
    calm: Sequence[float], worst: Sequence[tuple[float, str]], columns: Sequence[Sequence[Comparison]]
) -> list[str]:
    """Say what the table shows: one sentence, then its points."""
    if not worst:
        return []
    low, high = (human(end([share for share, _ in worst]), "share") for end in (min, max))
    names = sorted({name for _, name in worst})
    lead = f"In the worst condition ({' or '.join(names)}) {low} to {high} of them do."
    if calm:
        least, most = (human(end(calm), "share") for end in (min, max))
        most = least if least == most else f"{least} or more"
        lead = (f"Of an aligned sender's segments {most} arrive as whole FPDUs where nothing is added to the path "
                f"(topologies: {len(calm)}). {lead}")  # fmt: skip
    titles = (
        "FPDUs of an aligned sender placed early, by Markers",
        "Reassembly memory of an aligned sender's receivers, by Markers",
        "Reassembly memory, by a sender that is not aligned",
        "Mean time of a message, by a sender that is not aligned",
    )
    points = []
    for title, column in zip(titles, columns, strict=True):
        more, less = (sum(c.verdict == verdict for c in column) for verdict in ("higher", "lower"))
        means = [effect_text(c, interval=False) for c in sorted(column, key=lambda c: c.test.mean)]
        if means:
            points.append(f"{title}: more on {more} of {len(column)} topologies, less on {less}, "
                          f"no difference is shown "
                          f"on {len(column) - more - less} by {max(c.test.n for c in column)} pairs of runs; averages "
                          f"are {means[0]} to {means[-1]}.")  # fmt: skip
    return [lead, *points]


def _cell(found: Comparison | None) -> Cell | str:
    """Return an effect: a ratio, or a difference of shares."""
    if found is None:
        return ""
    row = found.to_row()
    unit = "ratio" if found.relative else found.view.unit
    return Cell(_cell_text(found), row["effect"], unit, ends=(row["low"], row["high"]), verdict=row["verdict"])


def _cell_text(found: Comparison) -> str:
    text = effect_text(found).replace("95 % interval ", "").replace(" percentage points", " points")
    return text if _is_shown(found) else f"{text} (–)"


_SENDER = Contrast("alignment", True, False, "an aligned sender", "an unaligned sender")
_KEEPING = "keeping FPDUs aligned with TCP segments"
_DISTURBED = "on paths with loss, reordering or a box that cuts segments"
_PRIMARIES = [
    Primary(_SENDER, "reassembly_p99", "the reassembly memory that is enough for 99 % of the time",
            f"with Markers, {_DISTURBED}", _WITH[1], subject=_KEEPING),
    Primary(_SENDER, "message_time_mean", "the mean time of a message", f"{_DISTURBED}, with Markers or without",
            lambda w: not _calm(w), subject=_KEEPING),
    Primary(Contrast("markers", True, False, "Markers", "no Markers"), "message_time_mean",
            "the mean time of a message", f"with an aligned sender, {_DISTURBED}",
            lambda w: not _calm(w) and w["alignment"]),
]  # fmt: skip
_MARKERS = Contrast("markers", True, False, "Markers", "no Markers")

STUDY = Study(
    name="alignment",
    title="What FPDU alignment buys",
    lead=(
        "Messages of a storage service go over MPA (RFC 5044) on MPA-aware TCP, across networks from a single link to "
        "a "
        "backbone. The sender either keeps FPDUs aligned with TCP segments or lets TCP cut them anywhere; Markers are "
        "on "
        "or off; the path loses, reorders and re-cuts segments or does not. Every value comes from packets simulated "
        "in ns\u20113."
    ),
    presets={
        "quick": Preset(
            _GRID,
            {**_BASE, "octets": 1_200_000, "plain_tcp": False},
            runs=6,
            timeout=120,
            goes_with=across(1_200_000),
            conditions=conditions([0.01], 200),
            nuisance=_NUISANCE,
        ),
        "full": Preset(
            _GRID,
            {**_BASE, "octets": 6_000_000},
            runs=20,
            timeout=1800,
            goes_with=across(6_000_000, "50Mbps", "250p"),
            conditions=conditions([0.0001, 0.001, 0.01], 1000),
            nuisance=_NUISANCE,
        ),
    },
    views=_VIEWS,
    primaries=_PRIMARIES,
    questions=[
        Question(
            "Aligned against unaligned sender",
            _SENDER,
            [
                "header_aligned_share",
                "fpdu_aligned_share",
                "reassembly_p99",
                "reassembly_peak",
                "message_time_mean",
                "goodput",
                "segments_sent",
                "arrival_to_host",
            ],
            [_CALM, _WITH, _WITHOUT, _CROWD],
        ),
        Question(
            "Markers on against off",
            _MARKERS,
            ["out_of_order_share", "reassembly_p99", "message_time_mean", "goodput", "segments_sent"],
            [_CALM, _ALIGNED, _UNALIGNED, _CROWD],
        ),
    ],
    layout=Layout(x="condition", colour="alignment", shape="markers", rows="topology", columns=()),
    figures=_FIGURES,
    titles={
        **NUISANCES,
        "condition": "Path",
        "markers": "Markers",
        "alignment": "Sender",
        "topology": "Topology",
    },
    levels={
        ("alignment", True): "aligned sender",
        ("alignment", False): "unaligned sender",
        **{("topology", name): title for name, title in TITLES.items()},
    },
    derive=_derive,
    factors=["condition"],
    told=TOLD,
    pages="topology",
    key="fpdu_aligned_share",
    answer=_answer,
    least_share=0.5,
    warm_up="counts: goodput and times are of whole transfers, with connecting and slow start",
    limits=(
        "One profile of an RNIC, t5-like, and one mix of messages. A path that is re-cut is one whose last link has a "
        "box that cuts at 700 octets of payload. Proxies that split connections stand at the router next to each "
        "receiver "
        "and send on what they have at once; tunnels are not among the paths. 200 or 1,000 connections of two hosts "
        "send "
        "as their acknowledgments come, which is neither in turn nor at random: the compute study has queue pairs send "
        "at random."
    ),
    notes=[
        "Unless changed with --set: networks of a data centre have links of 10 or 2.5 Gbit/s and TCP is set so, with a "
        "least retransmission timeout of 10 ms, also while connecting, and ACKs delayed by 1 ms at most. On long links "
        "timeouts are 200 ms and 1 s while connecting, ACKs are delayed by 40 ms, as in Linux, and packets held back "
        "for up to 2 ms instead of 50 µs. The sizes of messages follow a storage service's (alistorage2019.csv).",
        "Congestion control is CUBIC where nothing else is said.",
        "Senders frame FPDUs as soon as TCP's send buffer takes them, which has 4 MiB: what is framed before the MTU "
        "shrinks is cut. Hardware frames when it sends, as where the conditions say that FPDUs are framed ahead by a "
        "few octets only.",
        "An RNIC has as much memory for reassembly as it needs, since that is what is asked, and not the 256 KiB of "
        "its profile, which 200 unaligned connections fill if they begin at once.",
    ],
    write=functools.partial(write_pages, overview=_overview, about=_ABOUT),
)
