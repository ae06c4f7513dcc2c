#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the figures of the concept pages, and of runs that the tutorial on pictures shows: SVG that follows the
reader's light or dark scheme and is legible on a phone.

usage: figures.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

WIDTH = 520  #: of every drawing; on a phone it is shown at two thirds
_STYLE = """
.ground{fill:#fff} text{fill:#1b1f24;font:15px 'DejaVu Sans',Arial,sans-serif} .small{font-size:13px}\
 .soft{fill:#57606a}
.bold{font-weight:bold} .middle{text-anchor:middle} .segment{fill:none;stroke:#57606a;stroke-width:1.5}
.a{fill:#cfe3fb;stroke:#2f6db5} .b{fill:#fde8c4;stroke:#b3761a} .c{fill:#d3f0d8;stroke:#2f8a46}\
 .d{fill:#eadcf8;stroke:#7a4fb0}
.grey{fill:#e6e9ec;stroke:#8b949e} .lost{stroke:#c0392b;stroke-width:2;fill:none}\
 .line{stroke:#57606a;stroke-width:1.5;fill:none}
@media (prefers-color-scheme:dark){
.ground{fill:#14181d} text{fill:#e6edf3} .soft{fill:#9aa4af} .segment,.line{stroke:#9aa4af}
.a{fill:#1d3a5c;stroke:#6aa5e8} .b{fill:#54401a;stroke:#e0ae5a} .c{fill:#1c4427;stroke:#62c47b}\
 .d{fill:#40295c;stroke:#b58fe6}
.grey{fill:#2b3138;stroke:#7d8590} .lost{stroke:#ff7b6b}
}
"""


class Drawing:
    """Shapes one behind the other, and the height that they take."""

    def __init__(self, title: str):
        self._title = title
        self._shapes: list[str] = []
        self._height = 0.0

    def text(self, x: float, y: float, text: str, style: str = "") -> None:
        self._shapes.append(f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(text)}</text>')
        self._height = max(self._height, y + 6)

    def box(self, x: float, y: float, width: float, height: float, style: str, label: str = "", round: int = 2) -> None:
        self._shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round}" class="{style}"/>'
        )
        if label:
            self.text(x + width / 2, y + height / 2 + 5, label, "small middle")
        self._height = max(self._height, y + height)

    def line(self, *points: tuple[float, float], style: str = "line", arrow: bool = False) -> None:
        path = " ".join(f"{'M' if i == 0 else 'L'}{x:g} {y:g}" for i, (x, y) in enumerate(points))
        if arrow:
            (x0, y0), (x, y) = points[-2:]
            along = ((x > x0) - (x < x0), (y > y0) - (y < y0))
            for side in (-4, 4):
                path += f" M{x:g} {y:g} L{x - 8 * along[0] + side * along[1]:g} {y - 8 * along[1] + side * along[0]:g}"
        self._shapes.append(f'<path d="{path}" class="{style}"/>')

    def to_svg(self) -> str:
        height = self._height + 14
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}">\n'
            f"<title>{escape(self._title)}</title>\n<style>{_STYLE}</style>\n"
            f'<rect width="{WIDTH}" height="{height:g}" rx="6" class="ground"/>\n'
            + "\n".join(self._shapes)
            + "\n</svg>\n"
        )


def _stream(drawing: Drawing, y: float, lengths: list[tuple[float, str]], lost: int) -> None:
    """Draw four segments of 112 with FPDUs of these lengths and styles in them, and cross one segment out."""
    x = 16.0
    for i, (length, style) in enumerate(lengths):
        drawing.box(x, y + 5, length, 30, style, f"FPDU {i + 1}" if length > 60 else "", 0)
        x += length
    for i in range(4):
        left = 16 + 122 * i
        drawing.box(left - 3, y, 118, 40, "segment", round=5)
        drawing.text(left + 56, y + 58, f"segment {i + 1}", "small middle soft")
        if i == lost:
            drawing.line((left, y), (left + 112, y + 40), style="lost")
            drawing.line((left, y + 40), (left + 112, y), style="lost")


def alignment() -> Drawing:
    """Draw the same loss for an aligned and an unaligned sender."""
    drawing = Drawing(
        "Four TCP segments with FPDUs in them, of an aligned and of an unaligned sender; the second is lost"
    )
    drawing.text(16, 26, "aligned: a segment is a whole FPDU", "bold")
    styles = "abcd"
    y = 40
    for i, style in enumerate(styles):
        left = 16 + 122 * i
        drawing.box(left, y + 5, 112, 30, style, f"FPDU {i + 1}", 0)
    _stream(drawing, y, [], 1)
    drawing.text(16, 124, "With Markers, 3 and 4 are placed in host memory as they come.", "small")

    drawing.text(16, 168, "not aligned: segments end anywhere", "bold")
    y = 182
    # pieces of 112 octets a segment: what is left of one FPDU, and the head of the next
    pieces = [
        ("a", 112, "FPDU 1"),
        ("a", 34, ""),
        ("b", 78, "FPDU 2"),
        ("b", 66, ""),
        ("c", 46, "3 …"),
        ("c", 98, "… 3"),
        ("d", 14, ""),
    ]
    x, filled, segment = 16.0, 0.0, 0
    for style, length, label in pieces:
        drawing.box(x, y + 5, length, 30, style, label, 0)
        filled += length
        x += length
        if filled >= 112:
            segment, filled = segment + 1, 0.0
            x = 16 + 122.0 * segment
    _stream(drawing, y, [], 1)
    drawing.text(16, 266, "3 and 4 wait in the RNIC: where FPDUs begin is not known,", "small")
    drawing.text(16, 284, "and FPDU 2 is not whole. With Markers FPDU 3 can be found;", "small")
    drawing.text(16, 302, "a piece of FPDU 2 and one of FPDU 4 still wait.", "small")
    return drawing


def memory() -> Drawing:
    """Draw where octets are in an RNIC."""
    drawing = Drawing("A received segment on its way through an RNIC, and the memories that it takes room in")
    drawing.text(16, 26, "from the link to host memory", "bold")
    steps = [
        (44, "a", "packet buffer", "frames on their way in; a full one drops"),
        (116, "grey", "MAC, TCP, classification", "contexts of connections: a cache"),
        (188, "grey", "MPA, CRC, placement", "translation entries: a cache"),
        (332, "c", "host memory", "by DMA, across the host interface"),
    ]
    for y, style, name, note in steps:
        drawing.box(16, y, 210, 44, style, name, 4)
        drawing.text(240, y + 27, note, "small soft")
    for top, bottom in ((88, 116), (160, 188)):
        drawing.line((121, top), (121, bottom), arrow=True)
    drawing.line((60, 232), (60, 332), arrow=True)
    drawing.text(68, 258, "whole FPDUs,", "small")
    drawing.text(68, 276, "found", "small")
    drawing.box(260, 260, 244, 44, "b", "reassembly memory", 4)
    drawing.line((190, 232), (190, 276), (260, 276), arrow=True)
    drawing.line((260, 292), (200, 292), (200, 332), arrow=True)
    drawing.text(268, 250, "parts of FPDUs, FPDUs not found", "small")
    return drawing


def middlebox() -> Drawing:
    """Draw what a box does that cuts segments at a size of its own."""
    drawing = Drawing("Two aligned segments of 1428 octets before a box, six segments of at most 700 octets behind it")
    drawing.text(16, 26, "before the box: an FPDU a segment", "bold")
    for i, style in enumerate("ab"):
        drawing.box(19 + 245 * i, 45, 232, 30, style, f"FPDU {i + 1}", 0)
        drawing.box(16 + 245 * i, 40, 238, 40, "segment", round=5)
    drawing.box(160, 100, 200, 44, "grey", "cuts at 700 octets", 4)
    drawing.line((260, 80), (260, 100), arrow=True)
    drawing.line((260, 144), (260, 166), arrow=True)
    drawing.text(16, 190, "behind it: pieces", "bold")
    x = 19.0
    for style in "ab":
        for length, label in ((107, "head"), (107, ""), (9, "")):
            drawing.box(x, 209, length, 30, style, label, 0)
            drawing.box(x - 3, 204, length + 6, 40, "segment", round=5)
            x += length + 8.5
    drawing.text(16, 268, "One segment of three begins with an FPDU, none holds a whole", "small")
    drawing.text(16, 286, "one. In order the receiver finds all by their lengths; out of", "small")
    drawing.text(16, 304, "order Markers alone help, and pieces wait for the rest.", "small")
    return drawing


def esp() -> Drawing:
    """Draw a full datagram without ESP and with it."""
    drawing = Drawing(
        "A datagram of 1500 octets without ESP and with ESP in transport mode, AES-GCM with an ICV of 16 octets"
    )
    drawing.text(16, 26, "in clear: 1500 octets", "bold")
    clear = [(46, "grey", "IP"), (50, "grey", "TCP"), (392, "a", "FPDU, at most 1460")]
    x = 16.0
    for width, style, label in clear:
        drawing.box(x, 40, width, 36, style, label, 0)
        x += width
    drawing.text(16, 116, "ESP, transport mode: 1500 octets", "bold")
    sealed = [
        (46, "grey", "IP"),
        (46, "d", "ESP"),
        (34, "d", "IV"),
        (50, "b", "TCP"),
        (238, "b", "FPDU, at most 1426"),
        (28, "b", ""),
        (46, "d", "ICV"),
    ]
    x = 16.0
    edges = []
    for width, style, label in sealed:
        drawing.box(x, 130, width, 36, style, label, 0)
        edges.append(x)
        x += width
    drawing.line((edges[3], 176), (edges[6], 176))
    drawing.text((edges[3] + edges[6]) / 2, 196, "enciphered, padding and trailer with it", "small middle soft")
    drawing.text(16, 226, "EMSS falls by 34 octets, MULPDU follows, and FPDUs still fill", "small")
    drawing.text(16, 244, "their segments. Boxes see no TCP header: none can cut.", "small")
    return drawing


# ---- figures of runs: a fault each, which doc/tutorial-show.rst finds ----------------------------

FAULTS = {
    "merge": {"middlebox": "resegmenting", "PathResegmentingMiddlebox.CoalesceSize": 8000},
    "window": {"receive_buffer": 3000},
    "expiry": {"ipsec": "transport", "key_exchange": True, "association_octets": 60_000, "IkeKeying.Handling": "1ms"},
}
_STYLES = {"at once": "a", "held": "b", "waited": "b", "early": "c", "in vain": "d", "lost": "d"}


def shown(fault: str) -> Any:
    """Run a scenario with a fault, and return the tables of its captures."""
    import iwarp
    from iwarp.pictures.show import show_run

    return show_run(iwarp.run, {"topology": "dumbbell", "flows": 1, "octets": "300kB", **FAULTS[fault]}).tables


def merge() -> Drawing:
    """Draw the octets of some segments as they are sent, and as they come out of the box."""
    tables = shown("merge")
    drawing = Drawing("A box merges segments: FPDUs that were sent in one each come in parts")
    there = tables.segments[(tables.segments["direction"] == ">") & (tables.segments["length_octets"] > 0)]
    came = there[there["place"] == 1].reset_index(drop=True)
    first = came.index[came["fate"] == "held"][0]
    low, high = (int(came["begin"][k]) for k in (first - 2, first + 5))
    fpdus = tables.fpdus[tables.fpdus["place"].eq(1) & tables.fpdus["direction"].eq(">")]
    for row, (place, label) in enumerate(((0, "sent: segments begin with FPDUs"), (1, "behind the box"))):
        y = 40 + 86 * row
        drawing.text(16, y - 12, label, "bold")
        for segment in there[there["place"].eq(place) & there["begin"].between(low, high - 1)].itertuples():
            x, width = _octets(segment.begin, low, high), 488 * segment.length_octets / (high - low)
            drawing.box(x, y, min(width, 504 - x), 30, _STYLES.get(segment.fate, "grey") if place else "a", "", 0)
        for begin in fpdus.loc[fpdus["begin"].between(low, high), "begin"]:
            x = _octets(begin, low, high)
            drawing.line((x, y - 6), (x, y + 36), style="line")
    drawing.text(16, 196, f"octets {low:,} to {high - 1:,} of the stream; lines: where FPDUs begin", "small soft")
    drawing.text(16, 216, "amber: the end of the segment waits for the rest of its FPDU", "small soft")
    return drawing


def _octets(begin: float, low: float, high: float) -> float:
    return round(16 + 488 * (begin - low) / (high - low), 1)


def _sequence(title: str, fault: str, t0: float, t1: float, notes: Sequence[str]) -> Drawing:
    """Draw segments and acknowledgments of a run near the receiver, between two times in ms from the first segment."""
    segments = shown(fault).segments
    segments = segments.assign(time_ns=segments["time_ns"] - segments["time_ns"].min())
    drawing = Drawing(title)
    here = segments[segments["place"].eq(1) & segments["time_ns"].between(t0 * 1e6, t1 * 1e6)]
    data = here[here["direction"].eq(">") & here["length_octets"].gt(0)]
    low, high = data["begin"].min(), (data["begin"] + data["length_octets"]).max()

    def place(time: float, octet: float) -> tuple[float, float]:
        return round(64 + 420 * (time / 1e6 - t0) / (t1 - t0), 1), round(232 - 190 * (octet - low) / (high - low), 1)

    drawing.text(16, 26, "octets of the stream", "small soft")
    for octet in (low, high):
        drawing.text(16, place(0, octet)[1] + 4, f"{octet / 1000:.0f}k", "small soft")
    steps: list[tuple[float, float]] = []
    for ack in here[here["direction"].eq("<") & here["ack"].ge(low)].itertuples():
        x, y = place(ack.time_ns, ack.ack)
        steps += [(x, steps[-1][1])] if steps else []
        steps.append((x, y))
    drawing.line(*steps)
    for row in data.itertuples():
        x, top = place(row.time_ns, row.begin + row.length_octets)
        height = max(place(0, row.begin)[1] - top, 1.5)
        drawing.box(x - 2, top, 4, round(height, 1), _STYLES.get(row.fate, "grey"), "", 0)
    for k in range(3):
        time = t0 + (t1 - t0) * k / 2
        drawing.text(64 + 210 * k, 258, f"{time:g} ms", "small soft middle")
    for k, note in enumerate(notes):
        drawing.text(16, 282 + 20 * k, note, "small soft")
    return drawing


def window() -> Drawing:
    notes = ("line: acknowledgments. Two segments fill the window, then the",
             "sender waits for a round trip: the stairs are flat for most of it.")  # fmt: skip
    return _sequence("A receive window of two segments: a round trip for each two", "window", 1, 2, notes)


def expiry() -> Drawing:
    notes = ("line: acknowledgments. Nothing comes for 4 ms whenever 60 kB",
             "have gone: the association is used up, and its successor not made yet.")  # fmt: skip
    return _sequence("An association that expires: the stream stands still", "expiry", 0, 24, notes)


RUNS = {"merge": merge, "window": window, "expiry": expiry}
FIGURES = {"alignment": alignment, "memory": memory, "middlebox": middlebox, "esp": esp}

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, draw in FIGURES.items():
        (Path(sys.argv[1]) / f"concept-{name}.svg").write_text(draw().to_svg())
    for name, draw in RUNS.items():
        (Path(sys.argv[1]) / f"shown-{name}.svg").write_text(draw().to_svg())
