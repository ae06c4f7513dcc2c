# SPDX-License-Identifier: GPL-2.0-only
"""Scenario parameters as Python sees them: names, types, units, ranges, and checking of values.

The one source is ns-3's attributes, as the scenario lists them. Values are checked here before ns-3 parses
them, since ns-3 ends the process on text that it cannot read.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Real
from typing import Any

from ..errors import UsageError, did_you_mean
from .quantity import Quantity, human

_TIME_UNITS = {
    "y": 365 * 86400.0, "d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0, "ms": 1e-3,
    "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9, "ps": 1e-12, "fs": 1e-15,
}  # fmt: skip  # either letter that is printed as mu
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TIME = re.compile(rf"^({_NUMBER})\s*({'|'.join(_TIME_UNITS)})?$")
_PREFIX = r"(?:([kKMGT])(i?))?"
_RATE = re.compile(rf"^({_NUMBER})\s*{_PREFIX}(bps|b/s|bit/s|Bps|B/s|octets/s)$")
_OCTETS = re.compile(rf"^({_NUMBER})\s*{_PREFIX}\s*(?:B|octets?|bytes?)?$")
_KILOMETRES = re.compile(rf"^({_NUMBER})\s*(k?m)$")
_UNIT_IN_HELP = re.compile(r"\[([^\[\]=]+)\]\.?\s*$|\((bytes)\)\.?\s*$")
_OCTETS_IN_HELP = re.compile(r"^(Octets|Most octets|Least octets|Size of .* in octets)\b|\bin (octets|bytes)\b")
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

    def range_text(self) -> str:
        """Return the range with its unit, as ``576 to 65535 octets``, or the choices; nothing where every value will
        do."""
        if self.choices:
            return "|".join(self.choices)
        low, high = (None if end is None else self._end_text(end) for end in (self.minimum, self.maximum))
        if low is None and high is None:
            return ""
        numbers = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        return numbers if self.type in ("time", "rate") or not self.unit else f"{numbers} {self.unit}"

    def kind_text(self) -> str:
        """Return what kind of value is taken, where every one will do."""
        kind = {
            "time": "a time, as 10ms", "rate": "a rate, as 10Gbps", "bool": "true or false", "int": "a whole number",
            "float": "a number",
        }.get(self.type, self.type)  # fmt: skip
        return f"{kind} of {self.unit}" if self.unit and self.type in ("int", "float") else kind

    def default_text(self) -> str:
        """Return the default as it may be typed."""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        if self.type in ("time", "rate") and not isinstance(self.default, str):
            return self._end_text(self.default)
        unit = f" {self.unit}" if self.unit and self.type in ("int", "float") else ""
        return f"{self.default}{unit}" if self.default != "" else '""'

    def _end_text(self, end: float) -> str:
        return human(end, self.unit) if self.type in ("time", "rate") else f"{end:g}" if end % 1 else f"{end:.0f}"

    def to_json(self) -> dict:
        keys = ("name", "type", "unit", "default", "range", "help")
        return {key: getattr(self, key) for key in keys}

    def parse(self, value: Any) -> Any:
        """Return ``value`` (text or a Python value) as this parameter's own type, or raise UsageError.

        The text of a time or a rate names its unit; a number of Python's is in the parameter's own unit.
        """
        if isinstance(value, Quantity):
            if value.unit not in ("", self.unit):
                raise UsageError(f"{self.name} is in {self.unit or 'no unit'}, not in {value.unit}")
            value = float(value)
        parsed = _PARSERS[self.type](self, value)
        if self.type in ("int", "float", "time", "rate"):
            low, high = self.minimum, self.maximum
            if (low is not None and parsed < low) or (high is not None and parsed > high):
                raise UsageError(f"{self.name}={_shown(value)} is out of range: {self.range_text()}")
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
            if name.startswith("rnic_"):
                hint = ": those of RNICs are like Rnic.ReassemblyMemory.Capacity; `iwarp params --all Rnic.` lists them"
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
    the type says, else what the help text ends with in square brackets, or octets where it begins with them.
    """
    kind = {"Boolean": "bool", "Uinteger": "int", "Integer": "int", "Double": "float", "Time": "time",
            "DataRate": "rate", "Enum": "choice"}.get(
        value_type.removeprefix("ns3::").split("<")[0].removesuffix("Value"), "text")  # fmt: skip
    match = _UNIT_IN_HELP.search(help)
    stated = (match.group(1) or "octets") if match else ""
    unit = {"time": "s", "rate": "bit/s"}.get(kind) or stated
    if kind == "int" and not unit and _OCTETS_IN_HELP.search(help):
        unit = "octets"
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


def understood(given: Mapping[str, Any], params: Params) -> str:
    """Say how times and rates that were given as bare numbers were taken, or nothing where there are none."""
    bare = {
        name: params.find(name)
        for name, value in given.items()
        if isinstance(value, Real) and not isinstance(value, (bool, Quantity)) and value != 0
    }
    taken = [f"{n}={given[n]} was taken for {given[n]} {p.unit}" for n, p in bare.items() if p.type in ("time", "rate")]
    return "; ".join(taken)


def _bounds(kind: str, text: str) -> tuple[float | None, float | None]:
    """Read ``low:high``, leaving out the bounds that only say how wide the C++ type is."""
    ends = []
    for end in text.split(":", 1):
        if kind == "time":
            seconds = read_time(end)
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


def read_time(text: str) -> float | None:
    """Return the seconds of a time with its unit, such as 10ms or 2h; None if it is none."""
    match = _TIME.match(text.strip())
    return float(match.group(1)) * _TIME_UNITS[match.group(2)] if match and match.group(2) else None


def _bool(param: Param, value: Any) -> bool:
    text = str(value).strip().lower()
    if text in _TRUE | _FALSE:
        return text in _TRUE
    raise param.fail(value, "true or false")


def _power(prefix: str | None, binary: str | None) -> int:
    """Return what a prefix stands for: k is 1000, Ki is 1024."""
    return (1024 if binary else 1000) ** " kMGT".index((prefix or " ").replace("K", "k"))


def _plain(param: Param, value: Any) -> Any:
    """Return a value without the unit that its text names: 1MB is 1000000 octets, 5% is 0.05, 10km is 10 km."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if param.unit == "octets" and (match := _OCTETS.match(text)) and match[2] and math.isfinite(float(match[1])):
        number = Fraction(match[1]) * _power(match[2], match[3])
        return number.numerator if number.denominator == 1 else text
    if param.unit == "km" and (match := _KILOMETRES.match(text)):
        return float(match[1]) * (1 if match[2] == "km" else 1e-3)
    if param.type == "float" and param.unit in ("", "probability", "share") and text.endswith("%"):
        with contextlib.suppress(InvalidOperation):
            return float(Decimal(text[:-1].strip()) / 100)
    words = (param.unit, "B", "octet", "byte", "bytes") if param.unit == "octets" else (param.unit, param.unit[:-1])
    for word in filter(None, words):
        if text.endswith(word) and text != word:
            return text.removesuffix(word).strip()
    return value


def _int(param: Param, value: Any) -> int:
    wanted = {"octets": "a whole number of octets, as 1000000 or 1MB"}.get(
        param.unit, "a whole number" + (f" of {param.unit}" if param.unit else "")
    )
    plain = _plain(param, value)
    try:
        number = float(plain)
        exact = int(plain) if str(plain).strip().lstrip("+-").isdigit() else int(number)
        whole = float(exact) == number
    except (TypeError, ValueError, OverflowError):
        raise param.fail(value, wanted) from None
    if isinstance(value, bool) or not whole:
        raise param.fail(value, wanted)
    return exact


def _float(param: Param, value: Any) -> float:
    try:
        number = float(_plain(param, value))
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        hint = {"probability": ", as 0.01 or 1%", "": ", as 0.5 or 50%", "km": ", as 100 or 100km"}.get(param.unit, "")
        raise param.fail(value, "a number" + (f" ({param.unit})" if param.unit else "") + hint)
    return number


def _number(value: Any) -> float | None:
    """Return what is a number of Python's, in SI units, or the text of 0, which needs none."""
    if isinstance(value, str):
        return 0.0 if re.fullmatch(_NUMBER, value.strip()) and float(value) == 0 else None
    return value if isinstance(value, Real) and not isinstance(value, bool) else None


def _without_unit(param: Param, value: Any, units: str) -> UsageError:
    return UsageError(f"{param.name}={_shown(value)} has no unit: write {units}")


def _time(param: Param, value: Any) -> float:
    seconds = _number(value)
    if seconds is None and (match := _TIME.match(str(value).strip())):
        if not match[2]:
            raise _without_unit(param, value, f"{match[1]}s, {match[1]}ms, {match[1]}us or {match[1]}ns")
        seconds = read_time(str(value))
    if seconds is None or not math.isfinite(seconds):
        raise param.fail(value, "a time with its unit, as 10ms or 0.5s")
    return float(f"{seconds:.12g}")


def _rate(param: Param, value: Any) -> int:
    number = _number(value)
    if number is None:
        text = str(value).strip()
        if re.fullmatch(_NUMBER, text) and math.isfinite(float(text)):
            raise _without_unit(param, value, f"{text}Gbps, {text}Mbps or {text}bps")
        if match := _RATE.match(text):
            octets = match[4] in ("Bps", "B/s", "octets/s")
            number = float(match[1]) * _power(match[2], match[3]) * (8 if octets else 1)
    if number is None or not 0 <= number < math.inf:
        raise param.fail(value, "a rate with its unit, as 10Gbps")
    return round(number)


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
