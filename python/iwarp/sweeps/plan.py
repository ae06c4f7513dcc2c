# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep in a directory is to be, in ``plan.json``: for those that look at it while it runs."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..errors import UsageError
from .run import Run
from .subjects import FILES
from .traced import PLACE

NAME = "plan.json"
APART = ("run", *FILES, PLACE)  #: parameters that differ from run to run of a configuration


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep: their keys, the parameters that tell configurations apart, who runs them and since when.

    ``done`` is how many had a result when it began, at ``began`` (seconds since 1970). ``scenario`` tells whether it is
    the scenario that is swept, for which there is a command that repeats a run.
    """

    title: str
    scenario: bool
    keys: Sequence[str]
    varied: Sequence[str]
    parameters: Sequence[str]
    done: int
    began: float
    process: int = field(default_factory=os.getpid)
    host: str = field(default_factory=socket.gethostname)

    def write(self, directory: Path) -> None:
        """Put it into a directory, in one step."""
        temporary = directory / f"{NAME}.new"
        temporary.write_text(json.dumps(asdict(self)))
        temporary.replace(directory / NAME)

    @staticmethod
    def read(directory: Path) -> Plan:
        """Return that of a directory, or raise UsageError where none is."""
        try:
            return Plan(**json.loads((directory / NAME).read_text()))
        except (OSError, ValueError, TypeError):
            raise UsageError(f"{directory} holds no sweep: it has no {NAME}") from None

    @property
    def is_running(self) -> bool | None:
        """Tell whether the process that runs it is there; None where another host has it."""
        if self.host != socket.gethostname():
            return None
        with suppress(ProcessLookupError):
            with suppress(PermissionError):  # it is another user's
                os.kill(self.process, 0)
            return True
        return False


def parameters(runs: Sequence[Run]) -> tuple[list[str], list[str]]:
    """Return the names of the parameters of runs, and those of them that tell configurations apart."""
    names = dict.fromkeys(name for run in runs for name in run.params if name not in APART)
    return list(names), [n for n in names if len({repr(run.params.get(n)) for run in runs}) > 1]
