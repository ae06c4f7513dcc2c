# SPDX-License-Identifier: GPL-2.0-only
"""Scenario parameters as Python sees them: names, types, units, ranges, and checking of values.

The one source is ns-3's attributes, as the scenario lists them. Values are checked here before ns-3 parses
them, since ns-3 ends the process on text that it cannot read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import UsageError, did_you_mean

_TIME_UNITS = {
    "y": 365 * 86400.0, "d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3,
    "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15,
}  # fmt: skip
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TIME = re.compile(rf"^({_NUMBER})\s*({'|'.join(_TIME_UNITS)})?$")
_RATE = re.compile(rf"^({_NUMBER})\s*([kKMGT]i?)?\s*(bps|b/s|bit/s|Bps|B/s)?$")
_UNIT_IN_HELP = re.compile(r"\[([^\[\]=]+)\]\.?\s*$|\((bytes)\)\.?\s*$")
_TRUE, _FALSE = {"true", "t", "1", "yes", "on"}, {"false", "f", "0", "no", "off"}


@dataclass(frozen=True)
class Param:
    """One parameter; ``type`` is bool, int, float, time, rate, choice or text.

    ``target`` is the qualified name of the attribute for which a short name stands, or empty.
    """

    name: str
    attribute: str
    type: str
    unit: str
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    target: str = ""

    @property
    def range(self) -> Any:
        """Return the choices, ``[minimum, maximum]``, or None where every value will do."""
        if self.choices:
            return list(self.choices)
        if self.minimum is None and self.maximum is None:
            return None
        return [self.minimum, self.maximum]

    def to_json(self) -> dict:
        keys = ("name", "type", "unit", "default", "range", "help")
        return {key: getattr(self, key) for key in keys}

    def parse(self, value: Any) -> Any:
        """Return ``value`` (text or a Python value) as this parameter's own type, or raise UsageError."""
        parsed = _PARSERS[self.type](self, value)
        if self.type in ("int", "float", "time", "rate"):
            low, high = self.minimum, self.maximum
            if (low is not None and parsed < low) or (high is not None and parsed > high):
                raise UsageError(f"{self.name}={_shown(value)} is out of range: {_range_text(low, high)}")
        return parsed

    def to_attribute(self, value: Any) -> str:
        """Return a parsed value as the text that ns-3 reads."""
        if self.type == "bool":
            return "true" if value else "false"
        if self.type == "time":
            return f"{value:.12g}s"
        if self.type == "rate":
            return f"{value}bps"
        return repr(value) if isinstance(value, float) else str(value)

    def fail(self, value: Any, wanted: str) -> UsageError:
        return UsageError(f"{self.name}={_shown(value)} is no value for this parameter: give {wanted}")


def snake(name: str) -> str:
    """Return a CamelCase attribute name in snake_case: ``ReassemblyMemory`` is ``reassembly_memory``."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


class Params(Mapping[str, Param]):
    """The parameters by name: it lists those with short names, and finds all others by their qualified names."""

    def __init__(self, named: Iterable[Param], find_qualified: Callable[[str], Param]):
        """Take the parameters with short names and what finds others, raising UsageError."""
        self._named = {param.name: param for param in named}
        self._short = {param.target: param for param in self._named.values() if param.target}
        self._find_qualified = find_qualified
        self._found: dict[str, Param] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def __getitem__(self, name: str) -> Param:
        try:
            return self.find(name)
        except UsageError:
            raise KeyError(name) from None

    def find(self, name: str) -> Param:
        """Return the parameter of any of its names, or raise UsageError with the closest ones."""
        if name in self._named:
            return self._named[name]
        if "." not in name and "::" not in name:
            hint = did_you_mean(name, self._named) or "; `iwarp params` lists them"
            raise UsageError(f'there is no parameter "{name}"{hint}')
        if name not in self._found:
            param = self._find_qualified(name)
            self._found[name] = self._named.get(param.name) or self._short.get(param.name, param)
        return self._found[name]

    def canonical(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return ``given`` by the parameters' own names, short where there is one; or raise UsageError."""
        found: dict[str, str] = {}
        for name in given:
            other = found.setdefault(self.find(name).name, name)
            if other != name:
                raise UsageError(f"{other} and {name} are one parameter: give one of them")
        return {own: given[name] for own, name in found.items()}


def param_from_attribute(
    attribute: str, value_type: str, underlying: str, default: str, help: str, target: str = ""
) -> Param:
    """Make a Param of what ns-3's TypeId says of an attribute; a qualified name stays as it is.

    ``value_type`` and ``underlying`` are the checker's GetValueTypeName() and
    GetUnderlyingTypeInformation(): ``ns3::UintegerValue`` and ``uint32_t 0:9000``. The unit is what
    the type says, else what the help text ends with in square brackets.
    """
    kind = {"Boolean": "bool", "Uinteger": "int", "Integer": "int", "Double": "float", "Time": "time",
            "DataRate": "rate", "Enum": "choice"}.get(
        value_type.removeprefix("ns3::").split("<")[0].removesuffix("Value"), "text")  # fmt: skip
    match = _UNIT_IN_HELP.search(help)
    stated = (match.group(1) or "octets") if match else ""
    unit = {"time": "s", "rate": "bit/s"}.get(kind) or stated
    help = _UNIT_IN_HELP.sub("", help).strip() if match else help.strip()
    low = high = None
    choices: tuple[str, ...] = ()
    if kind == "choice":
        choices = tuple(c.strip() for c in underlying.split("|") if c.strip())
    elif kind in ("int", "float", "time") and ":" in underlying:
        low, high = _bounds(kind, underlying.split()[-1])
    name = attribute if "." in attribute else snake(attribute)
    bare = Param(name, attribute, kind, unit, None, help, low, high, choices, target)
    try:
        value = bare.parse(default)
    except UsageError:
        value = default  # ns-3 has defaults that its own ranges leave out
    return Param(**{**bare.__dict__, "default": value})


def resolve(given: Mapping[str, Any], params: Params) -> dict[str, Any]:
    """Return the value of every parameter with a short name, and of those given besides, each in its own type."""
    values = {name: params.find(name).parse(value) for name, value in params.canonical(given).items()}
    return {name: param.default for name, param in params.items()} | values


def _bounds(kind: str, text: str) -> tuple[float | None, float | None]:
    """Read ``low:high``, leaving out the bounds that only say how wide the C++ type is."""
    ends = []
    for end in text.split(":", 1):
        if kind == "time":
            seconds = _seconds(end)
            ends.append(None if seconds is None or abs(seconds) > 9e9 else float(f"{seconds:.12g}"))
            continue
        value = float(end) if kind == "float" else int(end)
        widest = abs(value) >= (1e300 if kind == "float" else 2**31 - 1)
        ends.append(None if widest else value)
    return ends[0], ends[1]


def _shown(value: Any) -> str:
    """Return a value as it fits into one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:80] + "…"


def _range_text(low: float | None, high: float | None) -> str:
    if high is None:
        return f"at least {low:g}"
    return f"at most {high:g}" if low is None else f"{low:g} to {high:g}"


def _seconds(text: str) -> float | None:
    match = _TIME.match(text)
    return float(match.group(1)) * _TIME_UNITS[match.group(2) or "s"] if match else None


def _bool(param: Param, value: Any) -> bool:
    text = str(value).strip().lower()
    if text in _TRUE | _FALSE:
        return text in _TRUE
    raise param.fail(value, "true or false")


def _int(param: Param, value: Any) -> int:
    try:
        number = float(value)
        exact = int(value) if str(value).strip().lstrip("+-").isdigit() else int(number)
        whole = float(exact) == number
    except (TypeError, ValueError, OverflowError):
        raise param.fail(value, "a whole number" + (f" of {param.unit}" if param.unit else "")) from None
    if isinstance(value, bool) or not whole:
        raise param.fail(value, "a whole number")
    return exact


def _float(param: Param, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise param.fail(value, "a number" + (f" ({param.unit})" if param.unit else ""))
    return number


def _time(param: Param, value: Any) -> float:
    seconds = None if isinstance(value, bool) else _seconds(str(value).strip())
    if seconds is None or not math.isfinite(seconds):
        raise param.fail(value, "a time with its unit, as 10ms or 0.5s")
    return float(f"{seconds:.12g}")


def _rate(param: Param, value: Any) -> int:
    match = None if isinstance(value, bool) else _RATE.match(str(value).strip())
    if not match or not 0 <= float(match.group(1)) < math.inf:
        raise param.fail(value, "a rate with its unit, as 10Gbps")
    number, prefix, unit = match.groups()
    base = 1024 if prefix and prefix.endswith("i") else 1000
    power = " kMGT".index("k" if prefix[0] == "K" else prefix[0]) if prefix else 0
    octets = unit in ("Bps", "B/s")
    return round(float(number) * base**power * (8 if octets else 1))


def _choice(param: Param, value: Any) -> str:
    def plain(text: str) -> str:
        return re.sub(r"[-_ ]", "", text).lower()

    for choice in param.choices:
        if plain(choice) == plain(str(value)):
            return choice
        stem, colon, _ = choice.partition(":")  # file:PATH stands for file: and any text
        if colon and str(value).startswith(stem + colon):
            return str(value)
    hint = did_you_mean(str(value), param.choices)
    raise UsageError(f"{param.name}={_shown(value)} is none of {', '.join(param.choices)}{hint}")


def _text(param: Param, value: Any) -> str:
    return str(value)


_PARSERS = {"bool": _bool, "int": _int, "float": _float, "time": _time, "rate": _rate,
            "choice": _choice, "text": _text}  # fmt: skip
