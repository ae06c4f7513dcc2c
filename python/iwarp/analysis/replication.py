# SPDX-License-Identifier: GPL-2.0-only
"""Whether the runs of a configuration are replications, or one course of events that is told again.

Where nothing but the start of flows is random and starts hardly differ, flows may meet at a queue in the same order in
every run (phase effects: Floyd and Jacobson 1992). Such runs agree on far more than chance would have them, and a test
over them speaks of one run.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

#: counts that tell one course of events from another
COUNTS = ("segments_sent", "octets_on_wire", "retransmitted_octets", "segments_dropped", "queue_drops", "ecn_marks",
          "timeouts")  # fmt: skip
#: of these, those without which nothing happens that could differ
EVENTS = ("retransmitted_octets", "segments_dropped", "queue_drops", "ecn_marks")

COLUMN = "told_again"  #: of alike()


def alike(frame: pd.DataFrame, factors: Sequence[str]) -> pd.Series:
    """Return which rows are of a configuration whose good runs, two or more, have all their counts in common.

    A configuration in which no queue drops or marks and nothing is sent again is none of these: there the runs differ
    in what messages they have.
    """
    found = pd.Series(False, index=frame.index)
    counts = [c for c in COUNTS if c in frame]
    events = [c for c in EVENTS if c in frame]
    good = frame[frame["status"] == "ok"]
    if not events or good.empty:
        return found
    apart = [f for f in factors if f in frame]
    for _, runs in good.groupby(apart, dropna=False) if apart else [((), good)]:
        if len(runs) > 1 and runs[events].gt(0).any(axis=None) and (runs[counts].nunique(dropna=False) == 1).all():
            found[runs.index] = True
    return found


def once(frame: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Return the rows without those that tell a run again, by the column of alike(), if there is one."""
    if COLUMN not in frame or not frame[COLUMN].any():
        return frame
    return frame[~frame[COLUMN] | ~frame.duplicated([*factors, COLUMN])]


def caution(frame: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """Say how many configurations are one run told again, if any; ``frame`` has the column of alike()."""
    if COLUMN not in frame or not frame[COLUMN].any():
        return []
    apart = [f for f in factors if f in frame]
    told = len(frame[frame[COLUMN]].drop_duplicates(apart))
    return [
        f"In {told} of {len(frame.drop_duplicates(apart))} configurations all runs have the same segments, "
        "retransmissions and drops: they are one run told again, of which no p is given. Let flows start farther apart "
        "(spread_starts, start_spread)."
    ]
