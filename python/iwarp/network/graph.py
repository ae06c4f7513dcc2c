# SPDX-License-Identifier: GPL-2.0-only
"""Maps of networks in GraphML and GML, as the Internet Topology Zoo has them, made into files of topology ``file``."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..parameters.schema import Param

if TYPE_CHECKING:
    import networkx

READERS = (".graphml", ".gml")  #: suffixes of what is read


@dataclass(frozen=True)
class City:
    """A router: its name, and degrees north and east."""

    name: str
    latitude: float
    longitude: float


@dataclass(frozen=True)
class Line:
    """A link by the names of its ends; bit/s, and a delay such as ``1ms`` where a place is not known."""

    a: str
    b: str
    rate: int | None = None
    delay: str | None = None


@dataclass
class Graph:
    """Routers and links that are joined, and what was left out to have them so."""

    cities: list[City]
    lines: list[Line]
    notes: list[str] = field(default_factory=list)

    def write(self, prefix: Path) -> tuple[Path, Path]:
        """Write PREFIX-nodes.csv and PREFIX-links.csv and return their names."""
        nodes = prefix.with_name(f"{prefix.name}-nodes.csv")
        links = prefix.with_name(f"{prefix.name}-links.csv")
        try:
            with nodes.open("w", newline="") as file:
                rows = csv.writer(file, lineterminator="\n")
                rows.writerow(("node", "city", "latitude_deg", "longitude_deg"))
                rows.writerows((c.name, c.name, c.latitude, c.longitude) for c in self.cities)
            with links.open("w", newline="") as file:
                rows = csv.writer(file, lineterminator="\n")
                rows.writerow(("a", "b", "rate", "delay"))
                rows.writerows((x.a, x.b, f"{x.rate}bps" if x.rate else "", x.delay or "") for x in self.lines)
        except OSError as error:
            raise UsageError(f"{error.filename}: {error.strerror}") from None
        return nodes, links


def read_graph(path: Path, delay: str | None = None) -> Graph:
    """Read a map.

    Two nodes may have several links, but one for each direction are one link; a link of a node to itself is left out,
    and so is all that no path joins to the largest part. Links have the rate ``LinkSpeedRaw`` if they tell one.

    @param delay of links where ``Latitude`` or ``Longitude`` of an end is not known; without it such a map is refused.
    """
    delay = None if delay is None else _delay(delay)
    graph = _load(path)
    if not graph.number_of_edges():
        raise UsageError(f"{path}: there is no link")
    notes: list[str] = []
    part = _largest(graph, notes)
    names = _names(graph, part)
    places = {node: _place(path, names[node], graph.nodes[node]) for node in part}
    lines = []
    for a, b, data in _links(graph, set(part), notes, names):
        unknown = places[a] is None or places[b] is None
        if unknown and not delay:
            lost = names[a] if places[a] is None else names[b]
            raise UsageError(f"{path}: it is not known where {lost} is: say with --delay what links to such nodes have")
        lines.append(Line(names[a], names[b], _rate(path, names[a], names[b], data), delay if unknown else None))
    # a picture has what is nowhere amid what is known
    known = [place for place in places.values() if place]
    middle = tuple(sum(p[i] for p in known) / len(known) for i in (0, 1)) if known else (0.0, 0.0)
    return Graph([City(names[node], *(places[node] or middle)) for node in part], lines, notes)


def _delay(text: str) -> str:
    """Return a delay as ns-3 reads it, or raise UsageError where it is no time."""
    seconds = Param("--delay", "Delay", "time", "s", None, "", minimum=0.0).parse(text)
    return re.sub("[µμ]", "u", "".join(text.split())) if seconds else "0s"


def _load(path: Path) -> networkx.Graph:
    import networkx

    if path.suffix.lower() not in READERS:
        raise UsageError(f"{path}: this is neither of {' and '.join(READERS)}")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    parse: Callable[[str], networkx.Graph] = (
        networkx.parse_graphml
        if path.suffix.lower() == ".graphml"
        else lambda gml: networkx.parse_gml(_several(gml), label="id")
    )
    try:
        return parse(text.decode("utf-8", "replace"))
    except Exception as error:  # networkx passes on what its parsers raise, of many kinds
        raise UsageError(f"{path}: {' '.join(str(error).split()) or type(error).__name__}") from None


def _several(gml: str) -> str:
    """Return GML in which two nodes may have several links, which networkx takes where the file says so only."""
    if re.search(r"^\s*multigraph\s+1", gml, re.MULTILINE):
        return gml
    return re.sub(r"\bgraph\s*\[", "graph [\n  multigraph 1", gml, count=1)


def _largest(graph: networkx.Graph, notes: list[str]) -> list[Any]:
    """Return the nodes of the largest part, in the order of the file."""
    import networkx

    parts = sorted(networkx.connected_components(networkx.Graph(graph.to_undirected())), key=len, reverse=True)
    left = sum(map(len, parts[1:]))
    if left:
        notes.append(f"left out {left} nodes that no path joins to the other {len(parts[0])}")
    return [node for node in graph if node in parts[0]]


def _names(graph: networkx.Graph, part: list[Any]) -> dict[Any, str]:
    """Return a name for each node: its label, without what rows and pairs of names are cut at, or with a number."""
    labels = {
        node: re.sub(r"[\s,-]+", " ", str(graph.nodes[node].get("label", node))).strip() or "node" for node in part
    }
    times = Counter(labels.values())
    used = {label for label in times if times[label] == 1}
    names = {}
    for node, label in labels.items():
        if times[label] > 1:
            label = next(name for n in count(1) if (name := f"{label} {n}") not in used)
            used.add(label)
        names[node] = label
    return names


def _place(path: Path, name: str, data: dict) -> tuple[float, float] | None:
    """Return degrees north and east, or None if they are not told."""
    if "Latitude" not in data or "Longitude" not in data:
        return None
    try:
        return float(data["Latitude"]), float(data["Longitude"])
    except ValueError:
        raise UsageError(f"{path}: latitude and longitude of {name} are not numbers") from None


def _rate(path: Path, a: str, b: str, data: dict) -> int | None:
    if data.get("LinkSpeedRaw") in (None, ""):
        return None
    try:
        rate = round(float(data["LinkSpeedRaw"]))
    except (ValueError, OverflowError):
        rate = 0
    if rate <= 0:
        raise UsageError(f"{path}: LinkSpeedRaw of {a} and {b} is no rate: {data['LinkSpeedRaw']}")
    return rate


def _links(graph: networkx.Graph, part: set, notes: list[str], names: dict) -> list[tuple[Any, Any, dict]]:
    """Return the links of a part, each once."""
    links = []
    back: Counter[tuple[Any, Any]] = Counter()  # links of the other direction that have been one with theirs
    there: Counter[tuple[Any, Any]] = Counter()
    for a, b, data in graph.edges(data=True):
        if a not in part or b not in part:
            continue
        if a == b:
            notes.append(f"left out a link of {names[a]} to itself")
            continue
        there[a, b] += 1
        if graph.is_directed() and back[a, b] < there[b, a]:
            back[a, b] += 1
            continue
        links.append((a, b, data))
    return links
