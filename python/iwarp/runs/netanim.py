# SPDX-License-Identifier: GPL-2.0-only
"""A file for NetAnim: the network of a run and what crosses it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import UsageError
from . import loader

RADIUS = 100.0  #: of the circle on which routers are
HOST = 25.0  #: distance of a host from its router


def animate(path: Path, observe: Callable[[Any], Any] | None = None) -> Callable[[Any], Callable[[], None]]:
    """Return a function that has the packets of a network written to ``path``, after ``observe`` has seen it."""
    if not path.absolute().parent.is_dir():
        raise UsageError(f"net_anim={path}: there is no directory {path.absolute().parent}")
    ns3 = loader.load_module("netanim", "ns3/animation-interface.h")

    def start(network: Any) -> Callable[[], None]:
        end = observe(network) if observe else None
        for node, x, y in _places(network):
            ns3.AnimationInterface.SetConstantPosition(node, x, y)
        animation = ns3.AnimationInterface(str(path))
        for i in range(network.GetNRouters()):
            animation.UpdateNodeDescription(network.GetRouter(i), f"router {i}")
        for i in range(network.GetNHosts()):
            animation.UpdateNodeDescription(network.GetHost(i), f"host {i}")

        def finish() -> None:
            animation.__destruct__()  # ends the file
            if callable(end):
                end()

        return finish

    return start


def _places(network: Any) -> list[tuple[Any, float, float]]:
    """Return where nodes are: routers on a circle, hosts around theirs, and such without a router in two rows."""
    routers = network.GetNRouters()
    centre = RADIUS + HOST
    angles = {network.GetRouter(i).GetId(): 2 * math.pi * i / routers for i in range(routers)}
    places = []
    for i in range(routers):
        angle = 2 * math.pi * i / routers
        places.append((network.GetRouter(i), centre + RADIUS * math.cos(angle), centre + RADIUS * math.sin(angle)))
    at: dict[int, int] = {}
    for i in range(network.GetNHosts()):
        near = network.GetLinkDevices(network.GetHostLink(i)).Get(0).GetNode().GetId()
        if near not in angles:
            places.append((network.GetHost(i), HOST * (1 + 4 * (i % 2)), HOST * (1 + i // 2)))
            continue
        turn = at[near] = at.get(near, -1) + 1
        x = centre + RADIUS * math.cos(angles[near])
        y = centre + RADIUS * math.sin(angles[near])
        spread = angles[near] + 0.4 * ((turn + 1) // 2) * (1 if turn % 2 else -1)
        places.append((network.GetHost(i), x + HOST * math.cos(spread), y + HOST * math.sin(spread)))
    # middleboxes and what else there is stay where NetAnim puts them
    return places
