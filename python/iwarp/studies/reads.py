# SPDX-License-Identifier: GPL-2.0-only
"""READs against the number of connections: what is known of their rate, what is assumed, and what follows of that.

No measurement of an iWARP adapter is known that says at how many connections its READs become slower. Where those of a
profile do rests on two assumed figures, each of which is halved and doubled here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..analysis.stats import estimate
from ..parameters.quantity import human
from ..report.cells import number
from ..report.page import Table
from ..sweeps.run import Run

PROFILE = "t5-like"
ENTRIES, FETCHES = "Rnic.ContextCache.Entries", "Rnic.ContextCache.Fetches"
#: the assumed figures as the profile has them, and what they are
ASSUMED = {ENTRIES: (1024, "contexts on chip"), FETCHES: (8, "contexts fetched at a time")}
PAIRS = (1000, 2000)  #: queue pairs: about as many as contexts on chip, and more
_READS = 16_000  #: of a run, about
_RATE, _MISSES = "perf_msg_rate", "rnic_context_misses"

#: hosts with one link between them, each queue pair with a READ of 64 octets under way on average
_SETTING = {
    "topology": "dumbbell", "plain_tcp": False, "markers": False, "delay": "1us", "access_delay": "0us",
    "start_spread": "0us", "queue_size": "200000p", "link_rate": "40Gbps", "access_rate": "100Gbps", "flows": 1,
    "host_pairs": 1, "workload": "perf", "perf_test": "read_bw", "perf_order": "Random", "perf_size": 64,
    "rnic": PROFILE, "send_buffer": 65536, "receive_buffer": 65536, "min_rto": "10ms", "delayed_ack": "1ms",
    "MpaTcpSocketFactory.SynBacklog": 8192,  # all connect at once: no SYN is dropped
    "Rnic.PacketBuffer.Capacity": 0,  # else what waits for contexts is dropped, and a run this short waits for timeouts
}  # fmt: skip

TITLE = "READs against connections"
#: what the rates rest on, in sentences
BASIS = (
    "Known: a read of host memory takes 500 ns and the bus carries 57.88 Gbit/s (both cited by the profile), and an "
    "adapter reads the context of a connection from the host that it has not on chip.",
    "Not known: how many contexts an iWARP adapter has on chip and how many it fetches at a time, and so at how many "
    "connections its READs become slower. This project knows no published measurement of an iWARP adapter's READs "
    "against connections, so there is nothing to compare the rates with. The 375 octets of a context are remembered of "
    "adapters of another kind (FaSST, OSDI 2016: InfiniBand), and not checked.",
    f"Assumed, and halved and doubled here one at a time: {ASSUMED[ENTRIES][0]:,} contexts on chip, and "
    f"{ASSUMED[FETCHES][0]} of them fetched at a time. Assumed besides: the 100 ns for scheduling a segment, "
    "one over which is the rate while contexts are on chip.",
)


def settings() -> list[dict[str, int]]:
    """Return the assumed figures as they are, and with each halved and doubled."""
    usual = {name: value for name, (value, _) in ASSUMED.items()}
    return [usual, *({**usual, name: changed} for name in usual for changed in (usual[name] // 2, 2 * usual[name]))]


def grids() -> list[dict[str, list[Any]]]:
    """Return a grid of one combination for each number of queue pairs and setting."""
    return [
        {name: [value] for name, value in {
            **_SETTING, "perf_qp": pairs, "perf_iterations": _READS // pairs, **setting}.items()}
        for pairs in PAIRS
        for setting in settings()
    ]  # fmt: skip


def measure(planned: Sequence[Run], frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each number of queue pairs and setting that has run: the rate, and misses."""
    good = frame[frame["status"] == "ok"].set_index("key")
    rows = []
    for pairs in PAIRS:
        for setting in settings():
            keys = [run.key for run in planned if run.key in good.index and _is(run.params, pairs, setting)]
            if not keys:
                continue
            found = good.loc[keys]
            rate = estimate(found[_RATE])
            misses = found[_MISSES].mean()
            rows.append({"perf_qp": pairs, **setting, "rate": rate.mean, "half": rate.half, "misses": misses})
    return pd.DataFrame(rows)


def _is(params: Mapping[str, Any], pairs: int, setting: Mapping[str, int]) -> bool:
    """Tell whether a run is one of READs with these queue pairs and figures."""
    asked = {**setting, "perf_qp": pairs, "perf_test": "read_bw", "perf_order": "Random"}
    return all(params.get(name) == value for name, value in asked.items())


def tabulate(measured: pd.DataFrame) -> Table | None:
    """Return the rates, and by how much they differ from those with the figures as assumed."""
    if measured.empty:
        return None
    usual = _with(measured, settings()[0]).set_index("perf_qp")["rate"]
    rows, changes = [], []
    for row in measured.to_dict("records"):
        pairs, what = row["perf_qp"], _describe(row)
        change = row["rate"] / usual.get(pairs, math.nan) - 1
        changes.append((abs(change), change, what, pairs))
        rows.append(
            {
                "Queue pairs": number(pairs, form=","),
                "Assumed figures": what,
                "READs": number(row["rate"], "messages/s", row["half"]),
                "Change": number(change, "share"),
                "Contexts off chip": number(row["misses"], "share"),
            }
        )
    known = [change for change in changes if change[0] > 0]
    text = (
        "READs of 64 octets on queue pairs that are drawn, as many under way as there are queue pairs, between two "
        f"{PROFILE} RNICs. The packet buffer has no limit: where contexts come too slowly, the profile's drops frames, "
        "and a run this short then waits for timeouts. Change is against the profile's figures; contexts are off chip "
        "in that share of the needs, those of connecting included."
    )
    return Table("reads", TITLE, text, pd.DataFrame(rows), [_most(max(known))] if known else [])


def _with(measured: pd.DataFrame, setting: Mapping[str, int]) -> pd.DataFrame:
    return measured[(measured[list(setting)] == pd.Series(setting)).all(axis=1)]


def _describe(row: Mapping[str, Any]) -> str:
    """Return what of the figures is not as assumed."""
    changed = [
        f"{row[name]:,} {what} in place of {value:,}" for name, (value, what) in ASSUMED.items() if row[name] != value
    ]
    return ", ".join(changed) or "as assumed"


def _most(entry: tuple[float, float, str, int]) -> str:
    """Say which change of an assumed figure moves the rate most."""
    size, change, what, pairs = entry
    more = "more" if change > 0 else "fewer"
    return (
        f"Half or twice an assumed figure makes at most {human(size, 'share')} {more} READs a second, with {pairs:,} "
        f"queue pairs ({what})."
    )
