# SPDX-License-Identifier: GPL-2.0-only
"""Which configurations a study runs: those of its preset, with the values that its user asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..runs import scenario

if TYPE_CHECKING:
    from .study import Preset, Study

_Grid = dict[str, list[Any]]


def build_grids(study: Study, preset: str, changes: Mapping[str, Sequence[Any]]) -> list[dict[str, list[Any]]]:
    """Return the preset's grids with ``changes``, each value in its own type.

    Values that the preset has somewhere restrict it: what has another value is left out, and nothing comes new. Where
    one of a parameter's values is new, they are in place of the preset's. There is a grid for each level that has
    special parameters, and one for the rest. Further grids keep to their own levels: of a parameter that they name,
    those that are asked for, and without such they are left out; of one that the first grid varies and they do not, the
    one that they have if it is asked for. Nuisance factors that are not asked for have all of their levels.
    """
    params = scenario.backend().params
    changes = params.canonical(changes)
    if "run" in changes:
        raise UsageError('"run" counts the replications: use --runs N')
    asked = {name: list(dict.fromkeys(params[name].parse(v) for v in values)) for name, values in changes.items()}
    known = _levels(_grids(study.presets[preset], {}), asked)
    kept = {name: values for name, values in asked.items() if known[name].issuperset(values)}
    grids = []
    for grid, of_point in _grids(study.presets[preset], {name: v for name, v in asked.items() if name not in kept}):
        left = {
            name: [
                v for v in grid.get(name, [params[name].default]) if v in values or (of_point and v not in known[name])
            ]
            for name, values in kept.items()
        }
        if all(left.values()):
            grids.append(grid | {name: values for name, values in left.items() if name in grid})
    nuisance = {name: by for name, by in study.presets[preset].nuisance.items() if name not in asked}
    return [_varied(grid, nuisance) for grid in grids]


def _varied(grid: _Grid, nuisance: Mapping[str, Sequence[float]]) -> _Grid:
    """Return a grid in which nuisance factors have multiples of their one value, of which each run takes one."""
    params = scenario.backend().params
    more = {}
    for name, multiples in nuisance.items():
        (value,) = grid.get(name, [params[name].default])
        more[name] = list(dict.fromkeys(params[name].parse(_multiple(value, by)) for by in multiples))
    return grid | more


def _multiple(value: Any, by: float) -> Any:
    """Return a number, or one with its unit such as ``100p``, so many times."""
    if not isinstance(value, str):
        return value * by
    number, unit = re.fullmatch(r"([\d.]+)(.*)", value).groups()
    return f"{round(float(number) * by)}{unit}"


def _levels(grids: Sequence[tuple[_Grid, bool]], names: Iterable[str]) -> dict[str, set[Any]]:
    """Return the values that parameters have in some grid that is no point of a screening."""
    params = scenario.backend().params
    own = [grid for grid, of_point in grids if not of_point]
    return {name: {v for grid in own for v in grid.get(name, [params[name].default])} for name in names}


def _grids(chosen: Preset, asked: Mapping[str, Sequence[Any]]) -> list[tuple[_Grid, bool]]:
    """Return the grids of a preset with new values, and of each whether it is a point of a screening."""
    params = scenario.backend().params

    def parsed(levels: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        named = params.canonical(levels).items()
        return {name: list(dict.fromkeys(params[name].parse(v) for v in values)) for name, values in named}

    fixed = parsed({name: [value] for name, value in chosen.fixed.items()})
    varied = parsed(chosen.grid)
    points = [
        (screening.grid, parsed({name: [value] for name, value in point.items()}))
        for screening in chosen.screenings
        if screening.profile in asked.get("rnic", [screening.profile])
        for point in screening.points()
    ]
    grids: list[tuple[_Grid, bool]] = []
    for levels, point in [(levels, {}) for levels in (chosen.grid, *chosen.conditions, *chosen.more)] + points:
        own = parsed(levels)
        is_condition = any(levels is condition for condition in chosen.conditions)
        grid = {**fixed, **(varied if is_condition else {}), **own, **asked, **point}
        if levels is not chosen.grid and not point:
            before = ({} if is_condition else {name: fixed[name] for name in varied if name in fixed}) | own
            kept = {name: [v for v in asked[name] if v in before[name]] for name in before.keys() & asked.keys()}
            grid |= {name: values for name, values in kept.items() if values or name in own}
        for (factor, level), special in chosen.special.items():
            if level in grid[factor]:
                own = {name: [params[name].parse(value)] for name, value in special.items() if name not in asked}
                grids.append(({**grid, factor: [level], **own}, bool(point)))
                grid = {**grid, factor: [v for v in grid[factor] if v != level]}
        grids.append((grid, bool(point)))
    return [(grid, of_point) for grid, of_point in grids if all(grid.values())]
