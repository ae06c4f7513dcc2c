# SPDX-License-Identifier: GPL-2.0-only
"""The picture of a network: routers, hosts by what they do, links by who uses them."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from ..network.map import NetworkMap
from ..parameters.quantity import human

_IDLE, _USED, _NARROW = "#c9d0d8", "#4a5563", "#D55E00"
_HOSTS = {
    (True, False): ("sends", "#0072B2"),
    (False, True): ("receives", "#009E73"),
    (True, True): ("sends and receives", "#CC79A7"),
    (False, False): ("idle host", "#ffffff"),
}
_LINKS = {(False, False): ("unused link", _IDLE), (True, False): ("link in use", _USED),
          (True, True): ("bottleneck", _NARROW), (False, True): ("bottleneck", _NARROW)}  # fmt: skip
_MOST_NAMES = 30  #: routers whose names have room
_WIDE = 7.16  #: inches of a paper's two columns
_STYLE = {
    "font.size": 8,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "pdf.fonttype": 42,  # text that journals take and readers can search
    "svg.fonttype": "path",
    "svg.hashsalt": "iwarp",
}


def draw_network(network: NetworkMap, path: Path) -> Path:
    """Draw a network as SVG, and as PDF beside it."""
    where = network.positions()
    with matplotlib.rc_context(_STYLE):
        wide = network.kind() != "lines"
        figure = Figure(figsize=(_WIDE, 3.6 if wide else 2.2), layout="constrained")
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_aspect("equal" if network.kind() == "map" else "auto")
        axes.margins(0.06, 0.12)
        handles = _links(axes, network, where) + _nodes(axes, network, where)
        figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6), frameon=False)
        return _save(figure, path)


def _save(drawn: Figure, path: Path) -> Path:
    """Write a figure as SVG, and as PDF beside it, the same octets each time."""
    drawn.draw_without_rendering()
    drawn.set_layout_engine(None)  # once is enough for both
    drawn.savefig(path, format="svg", metadata={"Date": None})
    drawn.savefig(path.with_suffix(".pdf"), format="pdf", metadata={"CreationDate": None})
    return path


def describe_network(network: NetworkMap) -> str:
    """Say what the picture shows: how many of what, and the bottleneck."""
    routers, links = len(network.routers), len(network.links)
    counted = [(routers, "router"), (len(network.hosts), "host"), (links, "link")]
    texts = [f"{n} {name}{'' if n == 1 else 's'}" for n, name in counted if n]
    narrow = [link for link in network.links if link.bottleneck]
    found = f"{', '.join(texts[:-1])} and {texts[-1]}."
    if narrow:
        rates = sorted({link.rate for link in narrow})
        kinds = " or ".join(human(rate, "bit/s") for rate in rates)
        these = "The link marked" if len(narrow) == 1 else f"The {len(narrow)} links marked"
        found += f" {these}, of {kinds}, {'leaves' if len(narrow) == 1 else 'leave'} the flows the least."
    return found


def _links(axes: Axes, network: NetworkMap, where: list[tuple[float, float]]) -> list[Line2D]:
    handles = []
    for mark, (title, colour) in _LINKS.items():
        chosen = [link for link in network.links if (link.used, link.bottleneck) == mark]
        if not chosen:
            continue
        width = 2.4 if mark[1] else 1.1 if mark[0] else 0.6
        lines = LineCollection([(where[link.a], where[link.b]) for link in chosen], colors=colour, linewidths=width)
        lines.set_zorder(1 + sum(mark))
        axes.add_collection(lines)
        handles.append(Line2D([], [], color=colour, linewidth=width, label=title))
    return handles


def _nodes(axes: Axes, network: NetworkMap, where: list[tuple[float, float]]) -> list[Line2D]:
    handles = []
    size = 5.5 if len(network.nodes) <= 80 else 2.5
    routers = network.routers
    if routers:
        style = {"marker": "s", "color": "#1d2530", "linestyle": ""}
        axes.plot(*zip(*(where[i] for i in routers), strict=True), **style, markersize=1.2 * size, zorder=4)
        handles.append(Line2D([], [], **style, markersize=6, label="router"))
    for (sends, receives), (title, colour) in _HOSTS.items():
        chosen = [
            i for i in network.hosts if (network.nodes[i].sends, network.nodes[i].receives) == (sends, receives)
        ]  # fmt: skip
        if chosen:
            style = {"marker": "o", "linestyle": "", "markerfacecolor": colour, "markeredgecolor": "#1d2530"}
            axes.plot(*zip(*(where[i] for i in chosen), strict=True), **style, markersize=size,
                      markeredgewidth=0.6, zorder=5)  # fmt: skip
            handles.append(Line2D([], [], **style, markersize=6, markeredgewidth=0.6, label=title))
    if network.kind() == "map" and len(routers) <= _MOST_NAMES:
        for i in routers:
            axes.annotate(network.nodes[i].name, where[i], xytext=(0, 6), textcoords="offset points", ha="center",
                          zorder=6, path_effects=[withStroke(linewidth=2, foreground="white")])  # fmt: skip
    return handles
