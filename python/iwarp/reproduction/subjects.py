# SPDX-License-Identifier: GPL-2.0-only
"""Everything that can be made again: experiments of the studies, tables, the figures of the validation, pictures."""

from __future__ import annotations

import dataclasses
import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..analysis.stats import Estimate
from ..errors import UsageError, did_you_mean
from . import alignment, buffers, compare, compute, fabric, figures, ipsec, offload, published
from .experiment import Experiment, Sweep
from .rows import AGREES, DIFFERS, Row
from .tables import TABLES, Table

DOC = figures.TABLE.parents[1]
EXPERIMENTS: tuple[Experiment, ...] = (
    *alignment.EXPERIMENTS, *buffers.EXPERIMENTS, *compute.EXPERIMENTS, *fabric.EXPERIMENTS, *compare.EXPERIMENTS,
    *ipsec.EXPERIMENTS, *offload.EXPERIMENTS,
)  # fmt: skip
CHEAP = 0.1  #: minutes of a processor that an experiment or table takes at most which is made again without --full
VALIDATED = {"validation": (True, 2.2), "published": (False, None)}  #: whether it is quick and minutes, by table


@dataclass(frozen=True)
class Subject:
    """What is made again in one go: ``stated`` are its rows as the documentation has them, ``make`` fills them in.

    ``make`` takes the rows, the seed and a directory for what comes besides.
    """

    name: str
    kind: str  #: figures, table, validation or picture
    page: str
    minutes: float | None  #: of a processor, as measured once; None where they were not
    is_quick: bool  #: made again without --full
    stated: Callable[[], list[Row]]
    make: Callable[[list[Row], int, Path], list[Row]]
    seeded: bool = True  #: whether another seed makes another

    @property
    def command(self) -> str:
        return f"./iwarp reproduce {self.name}"


def everything() -> list[Subject]:
    """Return all subjects, in the order of the pages."""
    drawn = runpy.run_path(str(DOC / "scripts" / "figures.py"))
    return [
        *map(_of_experiment, EXPERIMENTS),
        *map(_of_table, TABLES),
        *(_of_validation(table, *how) for table, how in VALIDATED.items()),
        *(_of_picture(f"concept-{name}", "index", draw) for name, draw in drawn["FIGURES"].items()),
        *(_of_picture(f"shown-{name}", "tutorial-show", draw) for name, draw in drawn["RUNS"].items()),
    ]


def choose(names: Sequence[str], full: bool, seed: int) -> list[Subject]:
    """Return the subjects of these names; without names those that are quick, or all of them."""
    known = {subject.name: subject for subject in everything()}
    for name in names:
        if name not in known:
            raise UsageError(f'nothing is called "{name}"{did_you_mean(name, known)}; see iwarp reproduce --list')
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [s for s in known.values() if (full or s.is_quick) and (s.seeded or seed == figures.SEED)]


def _of_experiment(experiment: Experiment) -> Subject:
    def stated() -> list[Row]:
        return [
            Row(experiment.name, f.name, f.about, experiment.page, f.value, f.unit, f.half)
            for f in figures.read().values()
            if f.experiment == experiment.name
        ]

    def make(rows: list[Row], seed: int, directory: Path) -> list[Row]:
        found = experiment.measure(Sweep(seed))
        made = []
        for row in rows:
            new, figure = found[row.name], figures.read()[row.name]
            verdict = AGREES if figure.met_by(new.mean, seed) else DIFFERS
            made.append(
                dataclasses.replace(row, new=new.mean, new_half=new.half, allowed=figure.allowed(seed), verdict=verdict)
            )
        for claim, holds in found.items():
            if not isinstance(holds, Estimate):
                verdict, new = (AGREES, "yes") if holds else (DIFFERS, "no")
                made.append(Row(experiment.name, "", claim, experiment.page, "yes", new=new, verdict=verdict))
        return made

    quick = _is_cheap(experiment.minutes)
    return Subject(experiment.name, "figures", experiment.page, experiment.minutes, quick, stated, make)


def _is_cheap(minutes: float | None) -> bool:
    return minutes is not None and minutes <= CHEAP


def _of_table(table: Table) -> Subject:
    def make(rows: list[Row], seed: int, directory: Path) -> list[Row]:
        return table.compare(table.make(seed), seed)

    quick = _is_cheap(table.minutes) and not table.of_tests
    random = table.alike is not None
    return Subject(table.name, "table", table.page, table.minutes, quick, table.stated, make, seeded=random)


def _of_validation(table: str, quick: bool, minutes: float | None) -> Subject:
    """Return the comparison with published figures: ours as it stands, or with another seed on the same side of its
    bound."""

    def stated() -> list[Row]:
        listed = pd.read_csv(DOC / "tables" / f"{table}.csv", dtype=str, keep_default_na=False)
        return [Row(table, row["figure"], row["what it is"], table, row["ours"]) for _, row in listed.iterrows()]

    def make(rows: list[Row], seed: int, directory: Path) -> list[Row]:
        listed = pd.read_csv(DOC / "tables" / f"{table}.csv", index_col="figure", dtype=str, keep_default_na=False)
        found = published.make(listed.index, seed)
        made = []
        for row in rows:
            new, old = found.loc[row.name], listed.loc[row.name]
            same = new["ours"] == old["ours"] if seed == figures.SEED else _side(new) == _side(old)
            made.append(dataclasses.replace(row, new=new["ours"], verdict=AGREES if same else DIFFERS))
        return made

    return Subject(table, "validation", table, minutes, quick, stated, make)


def _side(row: Mapping[str, Any]) -> bool:
    return row["within"] == "yes"


def _of_picture(name: str, page: str, draw: Callable[[], Any]) -> Subject:
    def stated() -> list[Row]:
        return [Row(name, f"{name}.svg", "the picture, octet by octet", page, "as it is")]

    def make(rows: list[Row], seed: int, directory: Path) -> list[Row]:
        text = draw().to_svg()
        (directory / f"{name}.svg").write_text(text)
        same = text == (DOC / "figures" / f"{name}.svg").read_text()
        new, verdict = ("the same", AGREES) if same else ("another", DIFFERS)
        return [dataclasses.replace(rows[0], new=new, verdict=verdict)]

    return Subject(name, "picture", page, 0.01 if page == "index" else 0.05, True, stated, make, seeded=False)
