# SPDX-License-Identifier: GPL-2.0-only
"""Where a picture of a network has its nodes: pairs, a row, layers, a map or any graph."""

from __future__ import annotations

import math

import numpy as np

from .map import NetworkMap, Point

MOST_PLACED = 1500  #: routers for which a picture is worth its computing


def _lines(network: NetworkMap) -> list[Point]:
    """Pairs of hosts below each other."""
    where = [(0.0, 0.0)] * len(network.nodes)
    for row, link in enumerate(network.links):
        for x, node in enumerate((link.a, link.b)):
            where[node] = (4.0 * x, -float(row))
    return where


def _row(network: NetworkMap) -> list[Point]:
    """Routers from left to right, hosts beside the outer ones, above the others if they send and below if not."""
    routers = network.routers
    where = [(0.0, 0.0)] * len(network.nodes)
    for router, hosts in network.routers_of_hosts().items():
        for side in (True, False):
            chosen = [h for h in hosts if network.nodes[h].sends == side]
            first, last = router == routers[0], router == routers[-1]
            for k, host in enumerate(chosen):
                part = k - (len(chosen) - 1) / 2
                if (first and side) or (last and not side):
                    where[host] = (2.0 * router + (-1.4 if side else 1.4), 0.45 * part)
                else:
                    where[host] = (2.0 * router + 0.4 * part, 1.2 if side else -1.2)
    for router in routers:
        where[router] = (2.0 * router, 0.0)
    return where


def _layers(network: NetworkMap) -> list[Point]:
    """Hosts at the bottom, each level of switches above what it joins."""
    levels = network.levels()
    joined = network.neighbours()
    where = [(0.0, 0.0)] * len(network.nodes)
    order = sorted(network.hosts, key=lambda h: (joined[h][0] if joined[h] else 0, h))
    for level in range(max(levels) + 1):
        if level:
            below = {i: [where[j][0] for j in joined[i] if levels[j] == level - 1] for i in range(len(levels))}
            order = [i for i in range(len(levels)) if levels[i] == level and below[i]]
            order.sort(key=lambda i: (round(sum(below[i]) / len(below[i]), 6), i))
        for k, node in enumerate(order):
            where[node] = (12.0 * (k + 0.5) / len(order), 1.6 * level)
    return where


def _around(network: NetworkMap, where: list[Point], step: float) -> list[Point]:
    """Put hosts round their routers, away from the middle of the picture."""
    middle = np.mean([where[i] for i in network.routers], axis=0)
    for router, hosts in network.routers_of_hosts().items():
        x, y = where[router]
        away = math.atan2(y - middle[1], x - middle[0])
        for k, host in enumerate(hosts):
            angle = away + 0.5 * (k - (len(hosts) - 1) / 2)
            where[host] = (x + step * math.cos(angle), y + step * math.sin(angle))
    return where


def _map(network: NetworkMap) -> list[Point]:
    """Routers by longitude and latitude, as a map has them."""
    places = [network.nodes[i].place or (0.0, 0.0) for i in network.routers]
    narrow = math.cos(math.radians(float(np.mean([north for _, north in places]))))
    where = [(east * narrow, north) for east, north in places] + [(0.0, 0.0)] * len(network.hosts)
    extent = max(np.ptp(places, axis=0)) or 1.0
    return _around(network, where, 0.06 * extent)


def _graph(network: NetworkMap) -> list[Point]:
    """Routers by the eigenvectors of the graph that vary least over its links; many of them on a circle."""
    routers = network.routers
    n = len(routers)
    if n > MOST_PLACED or n < 3:
        angles = 2 * np.pi * np.arange(n) / n
        points = np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        laplacian = np.zeros((n, n))
        for link in network.links:
            if link.a < n and link.b < n and link.a != link.b:
                laplacian[[link.a, link.b], [link.b, link.a]] -= 1
        degrees = -laplacian.sum(axis=0) + 1e-9
        np.fill_diagonal(laplacian, degrees)
        scaled = laplacian / np.sqrt(np.outer(degrees, degrees))
        points = np.linalg.eigh(scaled)[1][:, 1:3] / np.sqrt(degrees)[:, None]
    points = points / (np.abs(points).max(axis=0) + 1e-12)
    where = [tuple(map(float, point)) for point in points] + [(0.0, 0.0)] * len(network.hosts)
    return _around(network, where, 0.12)


LAYOUTS = {"lines": _lines, "row": _row, "layers": _layers, "map": _map, "graph": _graph}
