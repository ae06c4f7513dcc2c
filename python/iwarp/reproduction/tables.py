# SPDX-License-Identifier: GPL-2.0-only
"""Tables of doc/tables that runs have made as a whole: what makes each anew, and when two lines of one agree."""

from __future__ import annotations

import csv
import dataclasses
import functools
import os
import runpy
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .._setup import ROOT, SetupError, builder
from ..errors import IwarpError
from ..studies import reads
from ..sweeps.sweeper import plan
from .adversary import PROTECTED, score
from .experiment import Sweep
from .figures import SEED
from .rows import AGREES, DIFFERS, Row

DIRECTORY = ROOT / "doc" / "tables"
NO_LINE = "no such line"  #: of a table that has it not, documented or new

Line = Mapping[str, str]  #: cells by the titles of their columns, as the table has them
Alike = Callable[[str, str], bool]  #: whether a documented cell and one of another seed may be of the same table


@dataclass(frozen=True)
class Table:
    """A table, ``doc/tables/NAME.csv``; its first columns, so many, name a line.

    ``make`` returns all lines for a seed, and raises IwarpError where runs or programs fail. With the seed of the
    documentation cells are the same texts, with another one as ``alike`` says for their columns; columns that it does
    not have are the same there, too. Tables without it have nothing random.
    """

    name: str
    page: str
    minutes: float | None  #: of a processor, as measured once; None where they were not
    keys: int
    make: Callable[[int], Sequence[Line]]
    alike: Mapping[str, Alike] | None = None
    of_tests: bool = False  #: whether suites of the tests make it, which take much longer to build

    def read(self) -> dict[str, Line]:
        """Return the lines of the documentation by their names."""
        with (DIRECTORY / f"{self.name}.csv").open(newline="") as file:
            return self._named(list(csv.DictReader(file)))

    def stated(self) -> list[Row]:
        """Return a row for each line, as it is documented."""
        return [self._row(name, line) for name, line in self.read().items()]

    def compare(self, lines: Sequence[Line], seed: int) -> list[Row]:
        """Return the rows with new lines of a seed; lines that are not documented are rows which differ."""
        stated, new = self.read(), self._named(lines)
        made = []
        for name, line in {**new, **stated}.items():
            old, found = (self._text(known[name]) if name in known else NO_LINE for known in (stated, new))
            agree = name in stated and name in new and self._agree(line, new[name], seed)
            verdict = AGREES if agree else DIFFERS
            made.append(dataclasses.replace(self._row(name, line), documented=old, new=found, verdict=verdict))
        return made

    def _named(self, lines: Sequence[Line]) -> dict[str, Line]:
        return {", ".join(list(line.values())[: self.keys]): line for line in lines}

    def _text(self, line: Line) -> str:
        return "; ".join(list(line.values())[self.keys :])

    def _row(self, name: str, line: Line) -> Row:
        return Row(self.name, name, "; ".join(list(line)[self.keys :]), self.page, self._text(line))

    def _agree(self, stated: Line, new: Line, seed: int) -> bool:
        rules = self.alike if seed != SEED and self.alike else {}
        return stated.keys() == new.keys() and all(
            rules[title](cell, new[title]) if title in rules else cell == new[title] for title, cell in stated.items()
        )


def _build(target: str) -> Path:
    """Return the build directory, with a target built if it is not; IWARP_BUILD of the environment may name another
    directory, where it has to be."""
    if place := os.environ.get("IWARP_BUILD"):
        return Path(place)
    try:
        return builder.build(target=target)
    except SetupError as error:
        raise IwarpError(str(error)) from None


def _printed(table: str, seed: int) -> list[Line]:
    """Return what bench/rnic-figures prints."""
    command = [str(_build("rnic-figures") / "bench" / "rnic-figures"), f"--table={table}"]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode != 0:
        raise IwarpError(f"rnic-figures failed: {done.stderr.strip()}")
    return list(csv.DictReader(done.stdout.splitlines()))


def _sensitive(seed: int) -> list[Line]:
    """Return the figures that change something by half a per cent when they are made worse."""
    lines = _printed("sensitivity", seed)
    return [line for line in lines if any(abs(float(change.split()[0])) >= 0.5 for change in list(line.values())[2:])]


def _played(seed: int) -> list[Line]:
    """Return what each case of the suite tcp-script shows of both sockets."""
    _build("iwarp-test")
    head, *lines = runpy.run_path(str(ROOT / "test" / "tcp_scripts_test.py"))["play"]()
    return [dict(zip(head, line, strict=True)) for line in lines]


def _read(seed: int) -> list[Line]:
    """Return rates of READs as the report of the study validate has them."""
    grids = [{**{name: levels[0] for name, levels in grid.items()}, "seed": seed} for grid in reads.grids()]
    frame = Sweep(seed)(grids, 1)
    table = reads.tabulate(reads.measure(plan(grids, 1), frame))
    if table is None:
        raise IwarpError("no run has a rate of READs")
    return table.rows.astype(str).to_dict("records")


def _scored(seed: int) -> list[Line]:
    """Return what adversaries leave, a line for each of their acts."""
    return score(Sweep(seed))


def _number(cell: str) -> float:
    return float(cell.split()[0].replace(",", ""))


def _near(share: float, stated: str, new: str) -> bool:
    """Tell whether two numbers of one unit are no further apart than a share of the documented one."""
    return abs(_number(new) - _number(stated)) <= share * abs(_number(stated))


def _within(points: float, stated: str, new: str) -> bool:
    """Tell whether two shares are so many percentage points apart at most."""
    return abs(_number(new) - _number(stated)) <= points


def _same_kind(stated: str, new: str) -> bool:
    """Tell whether octets are lacking, connections lost and octets wrong in both scores or in neither."""

    def kind(cell: str) -> tuple[bool, ...]:
        delivered, lost, wrong = map(float, cell.split(", "))
        return delivered < 4, lost > 0, wrong > 0

    return kind(stated) == kind(new)


TABLES = (
    Table("rnic-estimates", "rnic", 0.08, 2, functools.partial(_printed, "profiles")),
    Table("rnic-waits", "rnic", 0.6, 4, functools.partial(_printed, "waits")),
    Table("rnic-sensitivity", "rnic", 2.1, 2, _sensitive),
    Table("tcp-scripts", "tcp", 0.02, 2, _played, of_tests=True),
    Table("reads-connections", "validation", 0.4, 2, _read,
          {"READs": functools.partial(_near, 0.05), "Change": functools.partial(_within, 3.0),
           "Contexts off chip": functools.partial(_within, 3.0)}),
    Table("adversary", "security", 0.08, 1, _scored,
          dict.fromkeys(PROTECTED, _same_kind)),
)  # fmt: skip
