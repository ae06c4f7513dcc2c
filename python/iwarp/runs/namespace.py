# SPDX-License-Identifier: GPL-2.0-only
"""The C++ namespace ns3 for Python, each class of the module declared when it is asked for.

Parsing every header takes seconds, and a program needs few: where a class is declared is found by its name.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import IwarpError, UsageError, did_you_mean
from . import loader

_TYPE = re.compile(r"(?:class|struct|enum(?: class)?)\s+(\w+)(?!.*;\s*$)")
_NAMESPACE = re.compile(r"namespace (\w+)")


class Namespace(ModuleType):
    """A namespace as cppyy has it, ns3 or one in it, and the module's classes there by name."""

    def __init__(self, name: str, headers: dict[str, dict[str, str]]):
        super().__init__(name, "Classes of ns-3 and of the module; iwarp.load(MODULE) brings those of further modules.")
        self._headers = headers

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        qualified = f"{self.__name__}.{name}"
        if qualified in self._headers:
            return Namespace(qualified, self._headers)
        own = self._headers[self.__name__]
        if header := own.get(name) or _header_of(name):
            loader.load(header)
        try:
            return _refuse_subclasses(getattr(self._declared(), name))
        except AttributeError:
            hint = did_you_mean(name, own) + "; classes of further modules of ns-3 come by iwarp.load(MODULE)"
            raise AttributeError(f'there is no "{name}" in {self.__name__}{hint}') from None

    def __dir__(self) -> list[str]:
        inner = [name.rpartition(".")[2] for name in self._headers if name.rpartition(".")[0] == self.__name__]
        return sorted({*self._headers[self.__name__], *inner})

    def _declared(self) -> Any:
        """Return what cppyy has of this namespace, with what the scenario's header declares."""
        found = loader.load()
        for part in self.__name__.split(".")[1:]:
            found = getattr(found, part)
        return found


def _refuse_subclasses(found: Any) -> Any:
    """Return a class of C++ of which Python makes no subclass: cppyy would, and ns-3 crash with it later."""
    is_enum = isinstance(found, type) and issubclass(found, int)  # whose members are all that it takes
    if isinstance(found, type) and not is_enum and "__init_subclass__" not in vars(found):

        def refuse(cls: type) -> None:
            if type(cls) is type(cls.__mro__[1]):  # a class of C++ has a metaclass of its own
                raise TypeError(
                    f"{cls.__name__}: a class of Python cannot be derived from C++'s {found.__name__}; iwarp.run() "
                    "takes functions for topology and workload, and iwarp.define() compiles a class written in C++"
                )

        found.__init_subclass__ = classmethod(refuse)
    return found


@functools.cache
def _ns3_headers() -> frozenset[str]:
    """Return the headers of the modules of ns-3 that the module itself uses: their libraries are loaded."""
    directory = loader.find_ns3() / "include" / "ns3"
    texts = ((directory / f"{module}-module.h").read_text() for module in loader.MODULES)
    return frozenset(header for text in texts for header in re.findall(r'#include ["<](?:ns3/)?([\w-]+\.h)', text))


def _header_of(name: str) -> str:
    """Return where ns-3 declares a class by its own custom, or nothing: NodeContainer is in node-container.h."""
    header = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower() + ".h"
    return f"ns3/{header}" if header in _ns3_headers() else ""


def load(modules: Sequence[str]) -> Namespace:
    """Return the namespace, with all of the ns-3 modules given."""
    known = available()
    for module in modules:
        if module not in known:
            hint = did_you_mean(module, known) or ": there is " + ", ".join(known)
            raise UsageError(f'this ns-3 has no module "{module}"{hint}')
    found = _namespace()
    for module in modules:
        loader.load_module(module, f"ns3/{module}-module.h")
    return found


def available() -> list[str]:
    """Return the modules of ns-3 that are installed."""
    names = (
        re.fullmatch(r"libns3[0-9.]*-([a-z0-9-]+)\.so", path.name)
        for path in (loader.find_ns3() / "lib64").glob("*.so")
    )
    return sorted(match[1] for match in names if match)


@functools.cache
def _namespace() -> Namespace:
    return Namespace("ns3", _index(loader.find().includes[0] / "ns3"))


def _index(directory: Path) -> dict[str, dict[str, str]]:
    """Return for each namespace of the module's headers the header of each type in it."""
    headers: dict[str, dict[str, str]] = {}
    for path in sorted(directory.glob("*.h")):
        inside: list[str] = []
        for line in path.read_text(errors="replace").splitlines():
            if found := _NAMESPACE.match(line):
                inside.append(found[1])
            elif line.startswith("} // namespace"):
                inside.pop()
            elif inside and (found := _TYPE.match(line)):
                headers.setdefault(".".join(inside), {}).setdefault(found[1], f"ns3/{path.name}")
    if not headers:
        raise IwarpError(f"{directory} holds no headers of the module: run `./iwarp build`")
    return headers
