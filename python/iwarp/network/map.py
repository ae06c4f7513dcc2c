# SPDX-License-Identifier: GPL-2.0-only
"""The network of a scenario as nodes and links, and where a picture has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Node:
    """A router, or a host that sends, receives, both or neither; ``place`` is degrees east and north, if known."""

    name: str
    router: bool
    sends: bool = False
    receives: bool = False
    place: Point | None = None


@dataclass(frozen=True)
class Link:
    """A link by the indices of its nodes; bit/s, seconds, whether flows use it and whether it leaves some the least."""

    a: int
    b: int
    rate: float
    delay: float
    used: bool
    bottleneck: bool


@dataclass(frozen=True)
class NetworkMap:
    """The routers, then the hosts, and all links of a scenario's network."""

    nodes: Sequence[Node]
    links: Sequence[Link]

    @property
    def routers(self) -> list[int]:
        return [i for i, node in enumerate(self.nodes) if node.router]

    @property
    def hosts(self) -> list[int]:
        return [i for i, node in enumerate(self.nodes) if not node.router]

    def neighbours(self) -> list[list[int]]:
        """Return the nodes that each node has a link to."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for link in self.links:
            found[link.a].append(link.b)
            found[link.b].append(link.a)
        return found

    def routers_of_hosts(self) -> dict[int, list[int]]:
        """Return the hosts at each router that has some."""
        found = defaultdict(list)
        for i, joined in enumerate(self.neighbours()):
            if not self.nodes[i].router and joined and self.nodes[joined[0]].router:
                found[joined[0]].append(i)
        return dict(found)

    def kind(self) -> str:
        """Return how it is best drawn: lines, map, layers, row or graph."""
        routers = self.routers
        if not routers:
            return "lines"
        if all(self.nodes[i].place for i in routers):
            return "map"
        levels = self.levels()
        if max(levels) > 1 and all(abs(levels[link.a] - levels[link.b]) == 1 for link in self.links):
            return "layers"
        between = [link for link in self.links if self.nodes[link.a].router and self.nodes[link.b].router]
        if all({link.a, link.b} == {i, i + 1} for i, link in enumerate(between)) and len(between) == len(routers) - 1:
            return "row"
        return "graph"

    def levels(self) -> list[int]:
        """Return how many links each node is away from the nearest host; those without a path to one are at 0."""
        joined = self.neighbours()
        level = {i: 0 for i in self.hosts}
        border = list(level)
        while border:
            found = []
            for i in border:
                for other in joined[i]:
                    if other not in level:
                        level[other] = level[i] + 1
                        found.append(other)
            border = found
        return [level.get(i, 0) for i in range(len(self.nodes))]

    def positions(self) -> list[Point]:
        """Return where to draw each node."""
        from .layout import LAYOUTS  # needs numpy, which a test against Debian's ns-3 has not

        return LAYOUTS[self.kind()](self)
