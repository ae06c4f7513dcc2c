# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep can run: the scenario, a function of the user's, a program."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import math
import numbers
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ..errors import IwarpError, UsageError, did_you_mean
from ..parameters.quantity import Quantity
from ..parameters.schema import resolve
from ..runs import loader, scenario
from ..runs.runner import Limits, Measured

#: columns that a sweep has of its own
RESERVED = ("key", "code", "status", "message", "wall")
_PLAIN = (bool, int, float, str, types.NoneType)


class Subject(Protocol):
    """What is run, once for each configuration and run number; it can be pickled, to be run elsewhere."""

    code: str  #: changes whenever the code behind the results does
    own_directory: bool  #: whether each run has an empty working directory of its own
    functions: Sequence[types.FunctionType]  #: of the user's, which another machine may not have

    def configure(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return every parameter of a run, checked, or raise UsageError; ``run`` among them counts replications."""

    def keep_apart(self, params: dict[str, Any], key: str) -> dict[str, Any]:
        """Return the parameters such that runs side by side write no file of another's."""

    def units(self, params: Mapping[str, Any]) -> dict[str, str]:
        """Return the units of those parameters that have one."""

    def execute(self, params: Mapping[str, Any], limits: Limits) -> Measured:
        """Run once, in this process, and return what was measured."""

    def prepare(self) -> None:
        """Load what forked runs share; raise IwarpError where this machine has not the code of the plan."""


FILES = ("pcap", "message_log")  #: parameters of the scenario that name what a run writes


@dataclass(frozen=True)
class ScenarioSubject:
    """The scenario, with its parameters and those of all classes."""

    code: str = field(default_factory=lambda: scenario.backend().code_id)
    own_directory: bool = False
    functions: Sequence[types.FunctionType] = ()

    def configure(self, given: Mapping[str, Any]) -> dict[str, Any]:
        backend = scenario.backend()
        resolved = resolve(given, backend.params)
        backend.check(resolved)
        return {name: kept(value, name) for name, value in resolved.items()}

    def keep_apart(self, params: dict[str, Any], key: str) -> dict[str, Any]:
        apart = {"pcap": f"{params['pcap']}-{key}"} if params.get("pcap") else {}
        if params.get("message_log"):
            log = Path(params["message_log"])
            apart["message_log"] = str(log.with_name(f"{log.stem}-{key}{log.suffix}"))
        return {**params, **apart}

    def units(self, params: Mapping[str, Any]) -> dict[str, str]:
        known = scenario.backend().params
        return {name: known[name].unit for name in params if known[name].unit}

    def execute(self, params: Mapping[str, Any], limits: Limits) -> Measured:
        return scenario.backend().execute(params)

    def prepare(self) -> None:
        compare(scenario.backend().code_id, self.code, "a library built from other code")


class FunctionSubject:
    """A function of the user's: its parameters are those of its signature, its result names what was measured."""

    own_directory = False

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        self.functions = (inner(function),)
        self._name = self.functions[0].__name__
        self._parameters = dict(inspect.signature(function).parameters)
        for name, parameter in self._parameters.items():
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
                raise UsageError(f"{self._name}({name}) cannot be swept: its parameters need names")
        self._library = _library()  # on which the results may depend
        self._loaded = loader.load.cache_info().currsize > 0
        self.code = identify(function, self._library)

    def configure(self, given: Mapping[str, Any]) -> dict[str, Any]:
        accepts_all = any(p.kind is p.VAR_KEYWORD for p in self._parameters.values())
        named = {n: p for n, p in self._parameters.items() if p.kind is not p.VAR_KEYWORD}
        for name in given:
            if name not in named and not accepts_all:
                raise UsageError(f'{self._name}() has no parameter "{name}"{did_you_mean(name, named)}')
        values = {n: p.default for n, p in named.items() if isinstance(p.default, _PLAIN)}
        values |= {name: plain(value, name) for name, value in given.items()}
        if ("run" in named or accepts_all) and values.get("run") is None:
            values["run"] = 1
        missing = [n for n, p in named.items() if n not in values and p.default is p.empty]
        if missing:
            raise UsageError(f"{self._name}() needs {', '.join(missing)}: give each a value in the grid")
        return unreserved(values)

    def keep_apart(self, params: dict[str, Any], key: str) -> dict[str, Any]:
        return params

    def units(self, params: Mapping[str, Any]) -> dict[str, str]:
        return {name: value.unit for name, value in params.items() if isinstance(value, Quantity)}

    def execute(self, params: Mapping[str, Any], limits: Limits) -> Measured:
        return call(self._function, **params)

    def prepare(self) -> None:
        compare(_library(), self._library, "another iwarp library")
        if self._loaded:
            scenario.backend()
            loader.load_function_topology()


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Measured:
    """Call a function of the user's and return what it measured; what it raises says where."""
    try:
        result = function(*arguments, **named)
    except (IwarpError, MemoryError):
        raise
    except Exception as error:
        raise IwarpError(where(error, inspect.getfile(inner(function)))) from None
    if not isinstance(result, Mapping):
        raise UsageError(
            f"{inner(function).__name__}() returned {type(result).__name__}: "
            "it has to return a dict, a value for each name"
        )
    cautions = list(getattr(result, "cautions", ()))
    return {str(name): measured(name, value) for name, value in result.items()}, "", cautions


def identify(function: Callable[..., Any], *more: str) -> str:
    """Return twelve digits that change with a function's text, and that of the functions of its module that it uses."""
    texts = [*_sources(inner(function), set()), *more]
    if isinstance(function, partial):
        texts.append(repr((function.args, function.keywords)))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def inner(function: Callable[..., Any]) -> types.FunctionType:
    """Return the function that is meant, without arguments that it has been given."""
    found = function.func if isinstance(function, partial) else function
    if not isinstance(found, types.FunctionType):
        raise UsageError(f"{function!r} cannot be swept: give a function, a program or a grid of the scenario")
    return found


def plain(value: Any, name: str) -> Any:
    """Return a parameter's value as Python's own bool, int, float, str or None, or raise UsageError."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a number of NumPy's
    if isinstance(value, Path):
        value = str(value)
    if isinstance(value, _PLAIN):
        return kept(value, name)
    raise UsageError(f"{name}={value!r} cannot be kept in a table: give a number, text, true or false")


def kept(value: Any, name: str) -> Any:
    """Return a value that a table can keep, or raise UsageError: text of Unicode, whole numbers of 64 bits."""
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise UsageError(f"{name} is too large a whole number for a table, which has 64 bits: give text or a float")
    for text in (name, value):
        if isinstance(text, str) and not _is_unicode(text):
            raise UsageError(f"{ascii(text)} cannot be kept in a table: it is no text of Unicode")
    return value


def _is_unicode(text: str) -> bool:
    try:
        return text.isascii() or text.encode() is not None
    except UnicodeEncodeError:
        return False


def measured(name: str, value: Any) -> Any:
    """Return what was measured as a Quantity, a truth value or text, or raise UsageError."""
    kept(None, str(name))
    if isinstance(value, Mapping) and "value" in value:
        number = value["value"]
        return Quantity(math.nan if number is None else number, value.get("unit") or "")
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if value is None:
        return Quantity(math.nan)
    if isinstance(value, (bool, str, Quantity)):
        return kept(value, name)
    if isinstance(value, numbers.Real):
        return Quantity(float(value))
    raise UsageError(f"{name} is {type(value).__name__}: what is measured has to be a number, text, true or false")


def unreserved(values: dict[str, Any]) -> dict[str, Any]:
    """Return a run's parameters, or raise UsageError where one has the name of a column that every sweep has."""
    for name in RESERVED:
        if name in values:
            raise UsageError(f'a sweep has a column "{name}" of its own: give the parameter another name')
    return values


def _library() -> str:
    """Return the identity of the module's library, or nothing where it is not built."""
    try:
        return loader.library_id()
    except IwarpError:
        return ""


def compare(here: str, planned: str, what: str) -> None:
    """Raise IwarpError if this machine has other code than the sweep was planned with."""
    if here != planned:
        raise IwarpError(
            f"this machine has {what} ({here or 'none'}, the sweep {planned or 'none'}): put the same build there"
        )


def where(error: Exception, file: str) -> str:
    """Return an exception of a user's function in a line, with the last place in their file."""
    places = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    places = [place for place in places if place[0] == file] or places
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{text} ({Path(places[-1][0]).name}:{places[-1][1]})"


def _sources(function: types.FunctionType, seen: set[int]) -> Iterator[str]:
    """Yield the text of a function, of the functions and classes of its module that it uses, and of their constants."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield _text(function)
    known = function.__globals__
    used = {name: known[name] for name in _names(function.__code__) if name in known}
    defaults = {"its defaults": function.__defaults__, "its defaults by name": function.__kwdefaults__}
    for name, value in sorted({**used, **defaults, **inspect.getclosurevars(function).nonlocals}.items()):
        yield from _sources_of_value(name, value, function.__module__, seen)


def _sources_of_value(name: str, value: Any, module: str, seen: set[int]) -> Iterator[str]:
    """Yield the text of what a function of a module uses by a name: as _sources(), or a plain value."""
    if isinstance(value, partial):
        yield from _sources_of_value(name, value.func, module, seen)
        yield from _sources_of_value(f"arguments of {name}", [value.args, value.keywords], module, seen)
        return
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if "__wrapped__" in getattr(value, "__dict__", ()):
        value = inspect.unwrap(value)  # of a cache or another decorator
    if isinstance(value, types.FunctionType) and value.__module__ == module:
        yield from _sources(value, seen)
    elif isinstance(value, type) and value.__module__ == module and id(value) not in seen:
        seen.add(id(value))
        with contextlib.suppress(OSError, TypeError):
            yield inspect.getsource(value)
        for part in vars(value).values():
            yield from _sources_of_value("", getattr(part, "fget", part), module, seen)
    elif isinstance(value, (set, frozenset)):
        yield f"{name}={sorted(map(repr, value))}"
    elif isinstance(value, (*_PLAIN, tuple, list, dict)):
        with contextlib.suppress(TypeError, ValueError):  # not made of plain values
            yield f"{name}={json.dumps(value, sort_keys=True)}"


def _names(code: types.CodeType) -> set[str]:
    """Return the names that code uses, also what it has inside: comprehensions, lambdas and functions."""
    inner = (_names(c) for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*inner)


def _text(function: types.FunctionType) -> str:
    if function.__name__ != "<lambda>":  # whose lines hold what stands around it
        with contextlib.suppress(OSError):
            return inspect.getsource(function)
    return _byte_code(function.__code__)


def _byte_code(code: types.CodeType) -> str:
    constants = [_byte_code(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, constants))
