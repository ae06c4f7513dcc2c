# SPDX-License-Identifier: GPL-2.0-only
"""Writes parameters/types.py, the types of the parameters for editors and type checkers: ``python -m
iwarp.development.parameter_types``."""

from __future__ import annotations

import textwrap
from pathlib import Path

from ..parameters.schema import Param

FILE = Path(__file__).resolve().parents[1] / "parameters" / "types.py"
_HEAD = '''\
# SPDX-License-Identifier: GPL-2.0-only
"""Types of the scenario's parameters, as development/parameter_types.py writes them. Texts have units: "10Gbps",
"5us", "1MB", "1%"."""

from __future__ import annotations

from typing import Literal, TypedDict

from .quantity import Quantity

Count = int | str
Number = float | str
Time = float | str | Quantity  # a number is in seconds
Rate = float | str | Quantity  # a number is in bit/s


class Parameters(TypedDict, total=False):
    """What iwarp.run() takes besides its own arguments; `iwarp params` lists it with defaults and ranges."""

'''
_TYPES = {"bool": "bool", "int": "Count", "float": "Number", "time": "Time", "rate": "Rate", "text": "str"}


def source() -> str:
    """Return the text of parameters/types.py."""
    from .. import api

    return _HEAD + "".join(map(_member, (p for p in api.params().values() if p.name not in {"topology", "workload"})))


def _member(param: Param) -> str:
    if param.type != "choice":
        return f"    {param.name}: {_TYPES[param.type]}\n"
    if any(choice.endswith(":PATH") for choice in param.choices):
        return f"    {param.name}: str\n"
    line = f"    {param.name}: Literal[{', '.join(map(_quoted, param.choices))}]\n"
    if len(line) <= 120:
        return line
    choices = textwrap.fill(", ".join(map(_quoted, param.choices)), 108, break_on_hyphens=False)
    return f"    {param.name}: Literal[\n{textwrap.indent(choices, ' ' * 8)}\n    ]\n"


def _quoted(text: str) -> str:
    return f'"{text}"'


if __name__ == "__main__":
    FILE.write_text(source())
