# SPDX-License-Identifier: GPL-2.0-only
"""The parts that a preset consists of, and such as are a balanced fraction of all combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..sweeps.designs import fraction


class Part(dict[str, Sequence[Any]]):
    """The levels of a part of a study, with its title; what merely goes ``along`` gives way to what a user asks for.

    ``runs`` is how often it runs if that is less than the preset has, as what takes long may.
    """

    def __init__(
        self,
        title: str,
        levels: Mapping[str, Sequence[Any]],
        along: Mapping[str, Any] | None = None,
        runs: int | None = None,
    ) -> None:
        super().__init__({**{name: [value] for name, value in (along or {}).items()}, **levels})
        self.title, self.along, self.runs = title, dict(along or {}), runs


def spread_over(
    title: str,
    networks: Sequence[str],
    levels: Mapping[str, Sequence[Any]],
    arms: Mapping[str, Sequence[Any]],
    along: Mapping[str, Any] | None = None,
    reduction: int = 1,
) -> list[Part]:
    """Return what is asked of all networks: one in ``reduction`` of all combinations of networks and levels, balanced
    (fraction()), each with all levels of ``arms``, which are compared.
    """
    if reduction == 1:
        return [Part(title, {"topology": list(networks), **levels, **arms}, along)]
    grouped: dict[tuple, list[str]] = {}
    for point in fraction({"topology": list(networks), **levels}, reduction):
        grouped.setdefault(tuple(point[name] for name in levels), []).append(point["topology"])
    return [
        Part(title, {"topology": found, **{name: [v] for name, v in zip(levels, values, strict=True)}, **arms}, along)
        for values, found in grouped.items()
    ]
