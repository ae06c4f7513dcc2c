# SPDX-License-Identifier: GPL-2.0-only
"""The way of segments from one place of capture to the next: which became which, and what was cut or merged."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

import pandas as pd

MOVES = ("as it was", "cut", "merged", "cut anew")  #: what may have happened to a segment on its way


def follow(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Find which segments of ``before`` the octets of each segment of ``after`` come from.

    Both are segments of one direction, at two places, the latter behind the former. A segment that is the same at both,
    by the Identification of its datagram, is itself; otherwise octets come from the segment that carried them last
    before. Rows are pairs of row numbers, with what happened; what is in no pair as ``before`` did not get there.
    """
    pairs: list[tuple[int, int]] = []
    same: dict[tuple, list[int]] = defaultdict(list)
    for k, row in enumerate(before[["ip_id", "begin", "length_octets", "ack"]].itertuples(index=False)):
        same[tuple(row)].append(k)
    begins, times = before["begin"].to_numpy(), before["time_ns"].to_numpy()
    lengths = before["length_octets"].to_numpy()
    order = sorted((int(b), k) for k, (b, n) in enumerate(zip(begins, lengths, strict=True)) if n > 0)
    longest = int(lengths.max()) if len(lengths) else 0
    for j, row in enumerate(after[["ip_id", "begin", "length_octets", "ack", "time_ns"]].itertuples(index=False)):
        known = same.get(tuple(row[:4]))
        if known and (row.ip_id or row.length_octets == 0):
            pairs.append((known.pop(0) if len(known) > 1 else known[0], j))
            continue
        end, best = row.begin + row.length_octets, {}
        for begin, k in order[bisect_left(order, (row.begin - longest, -1)) :]:
            if begin >= end:
                break
            known_before = begin in best and times[best[begin]] >= times[k]
            if begin + lengths[k] > row.begin and times[k] <= row.time_ns and not known_before:
                best[begin] = k
        latest_first = sorted(best.values(), key=lambda k: -times[k])
        pairs.extend((k, j) for k in _needed(latest_first, begins, lengths, row.begin, end))
    table = pd.DataFrame(pairs, columns=["before", "after"]).astype("int64")
    return table.assign(move=_moves(table, before, after))


def _needed(latest_first: list[int], begins, lengths, begin: int, end: int) -> list[int]:
    """Return the segments that bring octets which no later one brings."""
    missing, needed = [(begin, end)], []
    for k in latest_first:
        left, right = int(begins[k]), int(begins[k] + lengths[k])
        rest = []
        for a, b in missing:
            rest += [(x, y) for x, y in ((a, min(b, left)), (max(a, right), b)) if x < y]
        if rest != missing:
            needed.append(k)
        missing = rest
        if not missing:
            break
    return sorted(needed, key=lambda k: begins[k])


def _moves(pairs: pd.DataFrame, before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """Return what happened in each pair."""
    into, out_of = pairs["before"].value_counts(), pairs["after"].value_counts()
    b, a = before[["begin", "length_octets"]].to_numpy(), after[["begin", "length_octets"]].to_numpy()
    moves = []
    for k, j in pairs.itertuples(index=False):
        if (b[k] == a[j]).all():
            moves.append("as it was")
        elif into[k] > 1 and out_of[j] > 1:
            moves.append("cut anew")
        elif out_of[j] > 1:
            moves.append("merged")
        else:
            moves.append("cut")
    return moves
