# SPDX-License-Identifier: GPL-2.0-only
"""Which configurations a study runs: those of its preset, with the values that its user asks for."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..analysis.comparison import Contrast
from ..errors import UsageError
from ..runs import scenario

if TYPE_CHECKING:
    from ..parameters.schema import Param
    from .study import Preset, Study

_Grid = dict[str, list[Any]]


@dataclass(frozen=True)
class _Piece:
    """A grid of a part of a preset; ``of_point`` if it is a point of a screening."""

    title: str
    grid: _Grid
    of_point: bool
    runs: int | None = None


def build_grids(study: Study, preset: str, changes: Mapping[str, Sequence[Any]]) -> list[dict[str, list[Any]]]:
    """Return the preset's grids with ``changes``, each value in its own type.

    Values that the preset has somewhere restrict it: what has another value is left out, and nothing comes new. Where
    one of a parameter's values is new, they are in place of the preset's. There is a grid for each level that has
    special parameters, and one for the rest. Further grids keep to their own levels: of a parameter that they name,
    those that are asked for, and without such they are left out; of one that the first grid varies and they do not, the
    one that they have if it is asked for. What merely goes along with a part gives way to what is asked for. Nuisance
    factors that are not asked for have all of their levels. A part that has less runs than the preset has their
    numbers as ``run``.
    """
    return [
        piece.grid | ({"run": list(range(1, piece.runs + 1))} if piece.runs else {})
        for piece in _build(study, preset, _asked(changes))
    ]


def find_lost(study: Study, preset: str, changes: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return what of a preset a restriction leaves no runs of, in words: its parts, and what it was to compare."""
    asked = _asked(changes)
    if not asked:
        return []
    whole, left = (_build(study, preset, values) for values in ({}, asked))
    titles = dict.fromkeys(piece.title for piece in whole if piece.title)
    kept = {piece.title for piece in left}
    lost = [title for title in titles if title not in kept]
    before, after = (_compared(study, pieces) for pieces in (whole, left))
    return lost + [name for name in before if name not in after]


def _asked(changes: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return the values that are asked for, in their own types and by the parameters' names."""
    params = scenario.backend().params
    changes = params.canonical(changes)
    if "run" in changes:
        raise UsageError('"run" counts the replications: use --runs N')
    return {name: list(dict.fromkeys(params[name].parse(v) for v in values)) for name, values in changes.items()}


def _build(study: Study, preset: str, asked: Mapping[str, list[Any]]) -> list[_Piece]:
    params = scenario.backend().params
    known = _levels(_pieces(study.presets[preset], {}), asked)
    kept = {name: values for name, values in asked.items() if known[name].issuperset(values)}
    pieces = []
    for piece in _pieces(study.presets[preset], {name: v for name, v in asked.items() if name not in kept}):
        grid = piece.grid
        left = {
            name: [
                v
                for v in grid.get(name, [params[name].default])
                if v in values or (piece.of_point and v not in known[name])
            ]
            for name, values in kept.items()
        }
        if all(left.values()):
            pieces.append(replace(piece, grid=grid | {name: values for name, values in left.items() if name in grid}))
    nuisance = {name: by for name, by in study.presets[preset].nuisance.items() if name not in asked}
    return [piece if piece.of_point else replace(piece, grid=_varied(piece.grid, nuisance)) for piece in pieces]


def _compared(study: Study, pieces: Sequence[_Piece]) -> dict[str, None]:
    """Return the names of the declared comparisons and causes of which the grids have configurations."""
    names = list(dict.fromkeys(name for piece in pieces if not piece.of_point for name in piece.grid))
    params = scenario.backend().params
    rows = [
        {**{name: param.default for name, param in params.items()}, **dict(zip(names, values, strict=True))}
        for piece in pieces
        if not piece.of_point
        for values in itertools.product(*(piece.grid.get(name, [params[name].default]) for name in names))
    ]
    frame = pd.DataFrame(rows).assign(run=1, status="ok")
    frame.attrs["units"] = {}
    frame = study.derive(frame) if rows else frame
    found: dict[str, None] = {}
    places = frame.to_dict("records")
    for primary in study.primaries:
        if _has(places, primary.contrast, primary.where):
            name = f"what {primary.contrast.treatment_name} does to {primary.what}"
            found[f"the declared comparison: {name} {primary.over}"] = None
    for cause in study.causes:
        if all(_has(places, cause.contrast, where) for where in (cause.present, cause.absent)):
            found[f"the reason for what {cause.contrast.treatment_name} does to {cause.what} {cause.over}"] = None
    return found


def _has(places: Sequence[Mapping[str, Any]], contrast: Contrast, where: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Tell whether both levels of a contrast are among the configurations that ``where`` picks."""
    levels = {place.get(contrast.factor) for place in places if where(place)}
    return {contrast.treatment, contrast.baseline} <= levels


def _varied(grid: _Grid, nuisance: Mapping[str, Sequence[float]]) -> _Grid:
    """Return a grid in which nuisance factors have multiples of their one value, of which each run takes one.

    A part that is about such a factor keeps its own values.
    """
    params = scenario.backend().params
    more = {}
    for name, multiples in nuisance.items():
        values = grid.get(name, [params[name].default])
        if len(values) == 1:
            more[name] = list(dict.fromkeys(params[name].parse(_multiple(values[0], by)) for by in multiples))
    return grid | more


def _multiple(value: Any, by: float) -> Any:
    """Return a number, or one with its unit such as ``100p``, so many times."""
    if not isinstance(value, str):
        return round(value * by) if isinstance(value, int) else value * by
    number, unit = re.fullmatch(r"([\d.]+)(.*)", value).groups()
    return f"{round(float(number) * by)}{unit}"


def _levels(pieces: Sequence[_Piece], names: Iterable[str]) -> dict[str, set[Any]]:
    """Return the values that parameters have in some grid that is no point of a screening."""
    params = scenario.backend().params
    own = [piece.grid for piece in pieces if not piece.of_point]
    return {name: {v for grid in own for v in grid.get(name, [params[name].default])} for name in names}


def _parsed(levels: Mapping[str, Any]) -> _Grid:
    """Return levels by the parameters' names, each value in its own type; one value is a list of it."""
    params = scenario.backend().params
    named = params.canonical(levels).items()
    return {
        name: list(dict.fromkeys(_value(params[name], v) for v in (values if isinstance(values, list) else [values])))
        for name, values in named
    }


@functools.lru_cache(maxsize=10_000, typed=True)
def _value(param: Param, value: Any) -> Any:
    """Return a level in its own type; the points of a screening have few levels, each of them often."""
    return param.parse(value)


def _pieces(chosen: Preset, asked: Mapping[str, Sequence[Any]]) -> list[_Piece]:
    """Return the grids of a preset with new values."""
    fixed, varied = _parsed(chosen.fixed), _parsed(chosen.grid)
    points = [
        (screening.grid, _parsed(point))
        for screening in chosen.screenings
        if screening.profile in asked.get("rnic", [screening.profile])
        for point in screening.points()
    ]
    pieces: list[_Piece] = []
    for levels, point in [(levels, {}) for levels in (chosen.grid, *chosen.conditions, *chosen.more)] + points:
        along = _parsed(getattr(levels, "along", {}))
        own = {name: values for name, values in _parsed(levels).items() if name not in along}
        is_condition = any(levels is condition for condition in chosen.conditions)
        grid = {**fixed, **(varied if is_condition else {}), **along, **own, **asked, **point}
        if levels is not chosen.grid and not point:
            before = ({} if is_condition else {name: fixed[name] for name in varied if name in fixed}) | own
            kept = {name: [v for v in asked[name] if v in before[name]] for name in before.keys() & asked.keys()}
            grid |= {name: values for name, values in kept.items() if values or name in own}
        named = own.keys() | along.keys() | asked.keys() | point.keys()
        title = getattr(levels, "title", "") if not point else f"the screening of {point['rnic'][0]}"
        runs = getattr(levels, "runs", None)
        pieces += [_Piece(title, grid, bool(point), runs) for grid in _with_special(chosen, grid, asked, named)]
    return [piece for piece in pieces if all(piece.grid.values())]


def _with_special(chosen: Preset, grid: _Grid, asked: Collection[str], named: Collection[str]) -> list[_Grid]:
    """Return a grid by the levels that have parameters of their own, and the rest of it.

    @param asked parameters that are asked for @param named those that the part of the grid gives values to
    """
    params = scenario.backend().params
    found = []
    for (factor, level), special in chosen.special.items():
        if level in grid[factor]:
            own = {name: [params[name].parse(value)] for name, value in special.items() if name not in asked}
            found.append({**grid, factor: [level], **own})
            grid = {**grid, factor: [v for v in grid[factor] if v != level]}
    found.append(grid)
    if chosen.goes_with is None:
        return found
    return [
        {**one, "topology": [topology]}
        | {name: v for name, v in _parsed(chosen.goes_with(topology, one, named)).items() if name not in asked}
        for one in found
        for topology in one.get("topology", [params["topology"].default])
    ]
