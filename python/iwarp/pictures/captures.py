# SPDX-License-Identifier: GPL-2.0-only
"""Tables of captures: a row a TCP segment, an FPDU, a message, with what became of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..errors import UsageError
from ..runs.decoder import Decoder

MARKER_INTERVAL = 512  #: octets from one Marker to the next (RFC 5044 section 4.3)
_FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")
_ECN = ("Not-ECT", "ECT(1)", "ECT(0)", "CE")

#: what may have become of a segment, and what that means
SEGMENT_FATES = {
    "at once": "in order; nothing of it had to wait",
    "early": "out of order, and FPDUs in it were placed all the same",
    "held": "in order; the beginning of an FPDU waits in reassembly memory for the rest",
    "waited": "out of order; it waits in reassembly memory for what comes before",
    "outside": "carries no FPDU: startup frames, and what is not MPA's",
    "lost": "its octets had to be sent again: lost on the way, or refused",
    "refused": "it came, but was not acknowledged, and was sent again",
    "in vain": "sent again though the receiver had all of it",
    "checksum": "dropped: its TCP checksum is wrong",
    "window": "dropped: it lies outside of the receive window",
    "none": "carries no octets",
}
#: what may have become of an FPDU, or PDU of another framing
FPDU_FATES = {
    "at once": "placed in order, with the one segment that brought it",
    "in parts": "placed in order, when the last of several segments had come",
    "early, by a Marker": "placed out of order: a Marker told where it begins",
    "early, by length": "placed out of order: it follows an FPDU so found",
    "waited": "it was whole, and waited for octets before it",
    "bad": "dropped: its CRC or a Marker is wrong",
    "incomplete": "octets of it are not in the capture",
}
_FPDU_NAMES = {
    "at_once": "at once", "in_parts": "in parts", "marker": "early, by a Marker", "length": "early, by length",
    "waited": "waited", "bad": "bad", "incomplete": "incomplete",
}  # fmt: skip


@dataclass
class Tables:
    """What captures hold, as tidy tables; times are ns from ``start_ns``, ns since the epoch.

    ``connection`` names both ends, the one first that began; ``direction`` is ``>`` for what that one sends. Octets of
    a direction are known by their place in the stream, 1 for the first. ``file`` is the place of capture.
    """

    segments: pd.DataFrame  #: a row a TCP segment and file
    fpdus: pd.DataFrame  #: a row an FPDU, or PDU of another framing, and file
    messages: pd.DataFrame  #: a row a message of RDMAP and file
    notes: pd.DataFrame  #: what is malformed, and what one should know
    connections: pd.DataFrame  #: a row a connection and file, in the order of the path
    start_ns: int = 0  #: when the first segment was captured
    cautions: list[str] = field(default_factory=list)  #: what a reader has to know

    def fates(self) -> pd.DataFrame:
        """Count what became of segments and FPDUs, by file, connection and direction."""
        keys = ["file", "connection", "direction", "fate"]
        parts = []
        for kind, table, octets in (("segment", self.segments, "length_octets"), ("FPDU", self.fpdus, "size_octets")):
            counted = table.groupby(keys, sort=False)[octets].agg(["size", "sum"]).reset_index()
            parts.append(counted.set_axis([*keys, "count", "octets"], axis=1).assign(kind=kind))
        return pd.concat(parts, ignore_index=True)[["kind", *keys, "count", "octets"]]

    def write(self, directory: Path) -> None:
        """Write each table to a Parquet file of its name."""
        directory.mkdir(parents=True, exist_ok=True)
        for name, table in self.named().items():
            table.to_parquet(directory / f"{name}.parquet", index=False)

    def named(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name."""
        return {"segments": self.segments, "fpdus": self.fpdus, "messages": self.messages, "fates": self.fates(),
                "connections": self.connections, "notes": self.notes}  # fmt: skip


def read_captures(
    files: Sequence[str | os.PathLike[str]],
    ports: Sequence[int] = (),
    esp_keys: str | os.PathLike[str] | None = None,
    tls_keys: str | os.PathLike[str] | None = None,
) -> Tables:
    """Read captures of the same traffic, made at one place or several, through the module's own receive path."""
    names = _short_names([os.fspath(file) for file in files])
    read = [_read(file, name, ports, esp_keys, tls_keys) for file, name in zip(files, names, strict=True)]
    rows = {kind: pd.concat([part[kind] for part in read], ignore_index=True) for kind in read[0]}
    if rows["connections"].empty:
        raise UsageError(f"{', '.join(map(str, files))}: no connection carries MPA or another framing that is known")
    connections = _order(rows["connections"], rows["segments"], names)
    start = int(rows["segments"]["time_ns"].min())
    tables = Tables(*(_placed(rows[kind], connections, start) for kind in ("segments", "fpdus", "messages", "notes")),
                    connections, start)  # fmt: skip
    tables.cautions = _cautions(tables)
    return tables


def _short_names(files: Sequence[str]) -> list[str]:
    """Return names that tell files apart, as short as they may be."""
    for depth in range(1, 10):
        names = ["/".join(Path(file).parts[-depth:]) if file != "-" else "standard input" for file in files]
        if len(set(names)) == len(names):
            return names
    raise UsageError("the same file is given twice")


def _read(file: Any, name: str, ports: Sequence[int], esp_keys: Any, tls_keys: Any) -> dict[str, pd.DataFrame]:
    """Read the rows of one file."""
    text = "".join(Decoder(file, ports, form="rows", esp_keys=esp_keys, tls_keys=tls_keys).texts())
    kinds: dict[str, list[dict[str, Any]]] = {"connection": [], "segment": [], "fpdu": [], "note": []}
    for line in text.splitlines():
        row = json.loads(line)
        if kind := row.pop("row", None):
            kinds[kind].append(row)
    ends = {row["stream"]: _ends(row) for row in kinds["connection"]}
    turned = {stream: end[2] for stream, end in ends.items()}
    seen: dict[str, int] = {}
    titles = {}
    for stream, (first, second, _) in ends.items():
        title = f"{first}-{second}"
        seen[title] = seen.get(title, 0) + 1
        titles[stream] = title + (f" ({seen[title]})" if seen[title] > 1 else "")
    tables = {"connections": _connections(kinds["connection"], titles, turned),
              "segments": _segments(kinds["segment"], kinds["connection"]), "fpdus": _fpdus(kinds["fpdu"]),
              "notes": pd.DataFrame(kinds["note"], columns=_NOTE_COLUMNS)}  # fmt: skip
    tables["messages"] = _messages(tables["fpdus"])
    for kind, table in tables.items():
        table.insert(0, "file", name)
        if kind != "connections":
            flip = table["stream"].map(turned).fillna(False).astype(bool)
            table.insert(1, "connection", table["stream"].map(titles).fillna(""))
            table.insert(2, "direction", np.where((table["side"] == 1) ^ flip, "<", ">"))
            tables[kind] = table.drop(columns=["stream", "side"])
    return tables


_NOTE_COLUMNS = ("frame", "time_ns", "stream", "side", "begin", "malformed", "text")


def _ends(row: dict[str, Any]) -> tuple[str, str, bool]:
    """Return both ends, the Initiator first, or else the one that sent first; and whether that turned them."""
    turn = row["initiator"] == 1
    return (row["to"], row["from"], True) if turn else (row["from"], row["to"], False)


def _connections(rows: list[dict[str, Any]], titles: dict[int, str], turned: dict[int, bool]) -> pd.DataFrame:
    """Return a row a connection: how it is framed, and near which of its ends it was captured, 0 or 1."""
    return pd.DataFrame(
        [(titles[r["stream"]], r["framing"], r["near"] ^ turned[r["stream"]]) for r in rows],
        columns=["connection", "framing", "near"],
    )


def _segments(rows: list[dict[str, Any]], connections: list[dict[str, Any]]) -> pd.DataFrame:
    """Return a row a segment."""
    names = ("frame", "time_ns", "stream", "side", "seq", "begin", "length", "flags", "ack", "window", "ecn", "ip_id",
             "again", "fate", "kept", "in_order", "placed", "early", "stored", "held")  # fmt: skip
    table = pd.DataFrame({name: [row[name] for row in rows] for name in names}, columns=names)
    table["sack"] = [row.get("sack", []) for row in rows]
    near = {row["stream"]: row["near"] for row in connections}
    at_sender = table["stream"].map(near).eq(table["side"]) if len(table) else table["side"].eq(0)
    fate, kept = table["fate"], table["fate"].eq("kept")
    framed = table["stream"].isin([row["stream"] for row in connections if row["framing"] != "mpa"])
    if (framed & kept).any():  # of which no receiver of FPDUs tells
        table.loc[framed & kept, "in_order"] = np.array(_in_order(table[framed & kept]))
    table["fate"] = np.select(
        [fate.eq("none"), fate.eq("again"), fate.eq("checksum"), fate.eq("window"), fate.eq("replaced") & at_sender,
         fate.eq("replaced"), kept & table["held"].lt(0) & ~framed, kept & table["early"].gt(0),
         kept & ~table["in_order"], kept & table["stored"].gt(0)],
        ["none", "in vain", "checksum", "window", "lost", "refused", "outside", "early", "waited", "held"], "at once",
    )  # fmt: skip
    table["flags"] = [" ".join(n for k, n in enumerate(_FLAGS) if flags >> k & 1) for flags in table["flags"]]
    table["ecn"] = [_ECN[ecn] for ecn in table["ecn"]]
    return table.rename(columns={
        "length": "length_octets", "window": "window_octets", "again": "sent_again", "kept": "kept_octets",
        "placed": "fpdus_placed", "early": "fpdus_placed_early", "stored": "stored_octets", "held": "held_octets",
    })  # fmt: skip


def _in_order(kept: pd.DataFrame) -> list[bool]:
    """Tell of segments, as they came, whether all octets before them had come."""
    edges: dict[tuple[int, int], int] = {}
    ahead: dict[tuple[int, int], dict[int, int]] = {}
    found = []
    for stream, side, begin, length in kept[["stream", "side", "begin", "length"]].itertuples(index=False):
        key = (stream, side)
        edge, waiting = edges.get(key, begin), ahead.setdefault(key, {})
        found.append(begin <= edge)
        waiting[begin] = begin + length
        while starts := [at for at in waiting if at <= edge]:
            edge = max(edge, *(waiting.pop(at) for at in starts))
        edges[key] = edge
    return found


def _fpdus(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return a row an FPDU, or PDU of another framing."""
    names = ("frame", "stream", "side", "name", "begin", "size", "ulpdu_length", "mpa", "position", "markers", "crc",
             "in_one_segment", "missing", "fate", "first_ns", "complete_ns", "placed_ns", "delivered_ns", "payload")
    more = ("tagged", "stag_or_queue", "msn", "offset", "last", "message_length", "message_segments")
    table = pd.DataFrame({name: [row[name] for row in rows] for name in names}, columns=names)
    for name in more:
        kind = "boolean" if name in ("tagged", "last") else "UInt64"
        table[name] = pd.array([row.get(name) for row in rows], dtype=kind)
    table["fate"] = table["fate"].map(_FPDU_NAMES)
    return table.rename(columns={
        "size": "size_octets", "ulpdu_length": "ulpdu_octets", "missing": "missing_octets", "payload": "payload_octets",
        "message_length": "message_octets",
    })  # fmt: skip


def _messages(fpdus: pd.DataFrame) -> pd.DataFrame:
    """Return a row a message: the FPDUs from its first DDP segment to its last."""
    columns = ["frame", "stream", "side", "name", "begin", "fpdus", "message_octets", "first_ns", "placed_ns",
               "delivered_ns"]  # fmt: skip
    found, under_way = [], {}
    for row in fpdus[fpdus["tagged"].notna()].itertuples():
        key = (row.stream, row.side, row.name, bool(row.tagged), row.stag_or_queue, row.msn)
        first, count, placed = under_way.pop(key, (row, 0, 0))
        count, placed = count + 1, max(placed, row.placed_ns)
        if pd.isna(row.message_octets):
            under_way[key] = first, count, placed
            continue
        found.append((row.frame, row.stream, row.side, row.name, first.begin, count, row.message_octets,
                      first.first_ns, placed, max(row.delivered_ns, placed)))  # fmt: skip
    return pd.DataFrame(found, columns=columns)


def _order(connections: pd.DataFrame, segments: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Number the places of capture of each connection along the path, from the end that began."""
    first = segments[segments["direction"] == ">"].groupby(["connection", "file"])["time_ns"].min()
    connections = connections.copy()
    keys = zip(connections["connection"], connections["file"], strict=True)
    connections["first_ns"] = [first.get(key, 0) for key in keys]
    connections["given"] = connections["file"].map({name: k for k, name in enumerate(names)})
    connections = connections.sort_values(["connection", "near", "first_ns", "given"], kind="stable")
    connections["place"] = connections.groupby("connection").cumcount()
    order = {c: k for k, c in enumerate(dict.fromkeys(segments["connection"]))}
    connections = connections.assign(turn=connections["connection"].map(order)).sort_values(["turn", "place"])
    return connections[["connection", "file", "place", "framing", "near"]].reset_index(drop=True)


def _placed(table: pd.DataFrame, connections: pd.DataFrame, start: int) -> pd.DataFrame:
    """Give rows their place on the path, and times from the start."""
    keys = connections.set_index(["connection", "file"])["place"]
    pairs = pd.MultiIndex.from_arrays([table["connection"], table["file"]])
    table.insert(1, "place", keys.reindex(pairs).fillna(0).astype(int).to_numpy())
    for name in table.columns:
        if name.endswith("_ns"):
            table[name] = table[name].astype("int64") - start
    return table.reset_index(drop=True)


def marker_places(begin: int, size: int, position: int) -> Iterable[int]:
    """Return the first octets of the Markers in an FPDU; none if ``position`` is -1."""
    if position < 0:
        return range(0)
    return range(begin + -position % MARKER_INTERVAL, begin + size, MARKER_INTERVAL)


def _cautions(tables: Tables) -> list[str]:
    """Return what a reader has to know of the captures themselves."""
    found = []
    broken = int((tables.fpdus["fate"] == "incomplete").sum())
    if broken:
        found.append(f"octets of {broken} of {len(tables.fpdus)} FPDUs are not in the capture")
    for connection, rows in tables.connections.groupby("connection", sort=False):
        if rows["near"].nunique() == 1 and len(rows) > 1:
            found.append(f"{connection}: all captures were made near the same end")
    return found
