# SPDX-License-Identifier: GPL-2.0-only
"""The page of a run or a capture: one file that loads nothing, which draws tables as pictures."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd

from .captures import FPDU_FATES, SEGMENT_FATES, Tables
from .path import MOVES, follow
from .traces import Trace

_KINDS = {"f8": "<f8", "u4": "<u4", "i4": "<i4", "u1": "u1"}
_SEGMENTS = {
    "time_ns": "f8", "begin": "f8", "length_octets": "u4", "ack": "f8", "window_octets": "f8", "frame": "u4",
    "seq": "u4", "stored_octets": "u4", "held_octets": "f8", "fpdus_placed": "u4", "fpdus_placed_early": "u4",
}  # fmt: skip
_FPDUS = {
    "begin": "f8", "size_octets": "u4", "ulpdu_octets": "u4", "position": "f8", "first_ns": "f8", "complete_ns": "f8",
    "placed_ns": "f8", "delivered_ns": "f8", "payload_octets": "u4", "frame": "u4",
}  # fmt: skip
_MESSAGES = {"begin": "f8", "message_octets": "f8", "fpdus": "u4", "first_ns": "f8", "placed_ns": "f8",
             "delivered_ns": "f8"}  # fmt: skip


def page_data(tables: Tables | None, traces: Sequence[Trace] = (), about: Mapping[str, str] | None = None) -> dict:
    """Return what the page's script draws; columns are octets of typed arrays, in base64."""
    data: dict[str, Any] = {
        "about": dict(about or {}), "segmentFates": SEGMENT_FATES, "fpduFates": FPDU_FATES, "moves": MOVES,
        "connections": [], "traces": [_trace(trace, tables.start_ns if tables else 0) for trace in traces],
        "cautions": [], "start_ns": 0,
    }  # fmt: skip
    if tables is not None:
        data["start_ns"] = str(tables.start_ns)
        data["cautions"] = list(tables.cautions)
        for name, places in tables.connections.groupby("connection", sort=False):
            data["connections"].append(_connection(tables, str(name), places))
    data["cautions"] += [
        f"{trace.name}: {trace.left_out:,} rows behind the first {len(trace.rows):,} were left out"
        for trace in traces if trace.left_out
    ]  # fmt: skip
    return data


def _connection(tables: Tables, name: str, places: pd.DataFrame) -> dict[str, Any]:
    """Return one connection: each place with its tables, and the ways between places."""
    of = {key: table[table["connection"] == name] for key, table in tables.named().items() if key != "fates"}
    shown = []
    for place in places.itertuples():
        here = {key: table[table["file"] == place.file] for key, table in of.items()}
        shown.append({
            "file": place.file, "near": int(place.near), "framing": place.framing,
            "segments": _segments(here["segments"]), "fpdus": _fpdus(here["fpdus"]),
            "messages": _messages(here["messages"]),
            "notes": here["notes"][["time_ns", "direction", "malformed", "text"]].to_dict("records"),
        })  # fmt: skip
    return {"name": name, "places": shown, "ways": _ways(of["segments"], list(places["file"]))}


def _ways(segments: pd.DataFrame, files: Sequence[str]) -> list[dict[str, Any]]:
    """Return, for each place and the next one, which segments became which."""
    ways = []
    for k in range(len(files) - 1):
        way = {}
        for direction, (here, there) in {">": (files[k], files[k + 1]), "<": (files[k + 1], files[k])}.items():
            picked = [segments[(segments["file"] == f)].reset_index(drop=True) for f in (here, there)]
            numbers = [part.index[part["direction"] == direction].to_numpy() for part in picked]
            pairs = follow(*(part.loc[n].reset_index(drop=True) for part, n in zip(picked, numbers, strict=True)))
            way[direction] = {
                "before": _pack(numbers[0][pairs["before"]], "u4"), "after": _pack(numbers[1][pairs["after"]], "u4"),
                "move": _pack(pairs["move"].map(MOVES.index), "u1"),
            }  # fmt: skip
        ways.append(way)
    return ways


def _segments(table: pd.DataFrame) -> dict[str, Any]:
    packed = _columns(table, _SEGMENTS)
    packed["back"] = _pack(table["direction"].eq("<"), "u1")
    packed["again"] = _pack(table["sent_again"], "u1")
    packed["fate"] = _pack(table["fate"].map(list(SEGMENT_FATES).index), "u1")
    names, packed["flags"] = _codes(table["flags"])
    packed["flagNames"] = names
    names, packed["ecn"] = _codes(table["ecn"])
    packed["ecnNames"] = names
    blocks = [(k, *block) for k, row in enumerate(table["sack"]) for block in row]
    packed["sack"] = _pack(np.array(blocks, dtype=float).reshape(-1), "f8")
    return packed


def _fpdus(table: pd.DataFrame) -> dict[str, Any]:
    packed = _columns(table, _FPDUS)
    packed["back"] = _pack(table["direction"].eq("<"), "u1")
    packed["fate"] = _pack(table["fate"].map(list(FPDU_FATES).index), "u1")
    packed["crcNames"], packed["crc"] = _codes(table["crc"])
    packed["names"], packed["name"] = _codes(table["name"])
    return packed


def _messages(table: pd.DataFrame) -> dict[str, Any]:
    packed = _columns(table, _MESSAGES)
    packed["back"] = _pack(table["direction"].eq("<"), "u1")
    packed["names"], packed["name"] = _codes(table["name"])
    return packed


def _columns(table: pd.DataFrame, kinds: Mapping[str, str]) -> dict[str, Any]:
    return {"n": len(table), **{name: _pack(table[name], kind) for name, kind in kinds.items()}}


def _codes(column: pd.Series) -> tuple[list[str], str]:
    """Return the texts that there are, and which of them each row has."""
    codes, names = pd.factorize(column, sort=True)
    return [str(name) for name in names], _pack(codes, "u1" if len(names) < 256 else "u4")


def _pack(values: Any, kind: str) -> str:
    """Return numbers as the octets of a typed array, in base64, behind their kind."""
    array = np.asarray(values).astype(_KINDS[kind])
    return f"{kind}:" + base64.b64encode(array.tobytes()).decode()


def unpack(text: str) -> np.ndarray:
    """Return the numbers that the page has of a column."""
    kind, _, octets = text.partition(":")
    return np.frombuffer(base64.b64decode(octets), dtype=_KINDS[kind])


def _trace(trace: Trace, start_ns: int) -> dict[str, Any]:
    """Return a trace's lanes: one for each number of a value, or its events as marks and intervals."""
    rows = trace.rows
    begin = rows.get("begin_ns", rows["time_ns"])
    end = rows.get("end_ns", begin)
    columns = trace.columns()
    numbers = [name for name in columns if pd.api.types.is_numeric_dtype(rows[name].dtype)
               and not pd.api.types.is_bool_dtype(rows[name].dtype)]  # fmt: skip
    lanes: dict[str, Any] = {"name": trace.name, "source": trace.source, "kind": trace.kind}
    lanes |= {"n": len(rows), "begin": _pack(begin - start_ns, "f8"), "end": _pack(end - start_ns, "f8")}
    lanes["connectionNames"], lanes["connection"] = _codes(rows["connection"].fillna(""))
    lanes["hostNames"], lanes["host"] = _codes(rows["host"].fillna(""))
    lanes["columns"] = [
        {"name": name, "unit": trace.units.get(name, ""), "help": trace.help.get(name, ""),
         **({"values": _pack(rows[name].astype(float), "f8")} if name in numbers
            else dict(zip(("texts", "codes"), _codes(rows[name].astype(str)), strict=True)))}
        for name in columns
    ]  # fmt: skip
    return lanes


def render(data: Mapping[str, Any], title: str) -> str:
    """Return the page as HTML."""
    loader = jinja2.FileSystemLoader(str(resources.files(__package__) / "templates"))
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return environment.get_template("show.html.j2").render(title=title, data=text)


def write(path: Path, data: Mapping[str, Any], title: str) -> None:
    """Write the page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(data, title), encoding="utf-8")
