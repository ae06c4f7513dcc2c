# SPDX-License-Identifier: GPL-2.0-only
"""Loads the C++ module through cppyy: the few libraries and the one header that a scenario needs.

That takes about a second, where ``from ns import ns`` parses every header of ns-3. The two go
together in one process, in either order.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import IwarpError, UsageError
from ..version import installing

LIBRARY = "libiwarp.so"
SCRIPTS = '"iwarp[scripts]"'  #: what brings cppyy and all of ns-3 where the package is installed
HEADER = "ns3/iwarp-scenario.h"
MODULES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control", "stats", "bridge")


@dataclass(frozen=True)
class Places:
    """Where things are: our library, the include directories, ns-3's own libraries and version.

    The headers of ns-3 are not there where the package brings what runs need of ns-3, and its wheel is not installed.
    """

    library: Path
    includes: tuple[Path, ...]
    ns3_libraries: tuple[Path, ...]
    ns3_version: str


def find_ns3() -> Path:
    """Return the directory of the ns3 wheel (it holds include/ and lib64/)."""
    if wheel := _find_wheel():
        return wheel
    how = installing("bindings", SCRIPTS)
    raise IwarpError(f"C++ classes, and Python functions in runs, need cppyy and all of ns-3: run `{how}`")


def _find_wheel() -> Path | None:
    spec = importlib.util.find_spec("ns3")
    for place in spec.submodule_search_locations if spec and spec.submodule_search_locations else []:
        if (Path(place) / "lib64").is_dir():
            return Path(place)
    return None


def _libraries(ns3: Path) -> tuple[str, dict[str, Path]]:
    """Return the version of ns-3 in a directory, and its libraries by module."""
    libraries = {}
    version = ""
    for path in sorted((ns3 / "lib64").glob("libns3*.so")):
        match = re.fullmatch(r"libns(3[0-9.]*)-([a-z0-9-]+)\.so", path.name)
        if match and match.group(2) in MODULES:
            version, libraries[match.group(2)] = match.group(1), path
    missing = [m for m in MODULES if m not in libraries]
    if missing:
        raise IwarpError(f"{ns3 / 'lib64'} lacks the ns-3 libraries {', '.join(missing)}: install the ns3 wheel again")
    return version, libraries


def find() -> Places:
    """Find the module's library, built beside the package or installed in it, and ns-3's.

    In a clone IWARP_BUILD of the environment may name another build directory than build/, such as one with sanitizers.
    Those of the ns3 wheel are taken where its release is that of those in the package, so that a process has them once.
    """
    package = Path(__file__).resolve().parents[1]
    own, wheel = package / "_ns3", _find_wheel()
    if own.is_dir():
        version, libraries = _libraries(own)
        if wheel and _libraries(wheel)[0] == version:
            libraries = _libraries(wheel)[1]
    elif wheel:
        version, libraries = _libraries(wheel)
    else:
        raise IwarpError(
            "the ns3 wheel is not installed in this Python: run `pip install ns3==3.44.post0`, or use ./iwarp"
        )
    build = Path(os.environ.get("IWARP_BUILD") or package.parent.parent / "build")
    for library, headers in (
        (package / "_lib" / LIBRARY, package / "_include"),
        (build / "lib" / LIBRARY, build / "include"),
    ):
        if library.is_file():
            includes = (headers, wheel / "include") if wheel else (headers,)
            return Places(library, includes, tuple(libraries[m] for m in MODULES), version)
    if named := os.environ.get("IWARP_BUILD"):
        raise IwarpError(f"IWARP_BUILD={named}: there is no {build / 'lib' / LIBRARY}")
    raise IwarpError("the iwarp library is not built: run `./iwarp build`")


@functools.cache
def load(header: str = HEADER) -> ModuleType:
    """Load ns-3 and the module, once a process, with what ``header`` declares: ``cppyy.gbl.ns3``."""
    cppyy = _load_libraries()
    try:
        cppyy.include(header)
    except (RuntimeError, ImportError) as error:
        raise outdated(error) from None
    return cppyy.gbl.ns3


@functools.cache
def load_module(module: str, header: str) -> ModuleType:
    """Load a further module of ns-3, such as netanim, with what ``header`` declares: ``cppyy.gbl.ns3``."""
    found = sorted((find_ns3() / "lib64").glob(f"libns3*-{module}.so"))
    if not found:
        raise IwarpError(f"this ns-3 comes without its module {module}, which is needed: install the ns3 wheel 3.44")
    _load_libraries().load_library(str(found[0]))
    return load(header)


@functools.cache
def load_function_topology() -> Callable[[Callable[..., None]], Any]:
    """Return what makes an ``IwarpFunctionTopology`` of a function of Python's.

    cppyy takes no function that returns a vector: this one adds sender and receiver of each pair to its last argument.
    """
    ns3 = load("ns3/iwarp-topology-function.h")
    _load_libraries().cppdef("""
        namespace ns3::iwarp::python
        {
        struct Pairs
        {
            void Add(uint32_t sender, uint32_t receiver)
            {
                ends.emplace_back(sender, receiver);
            }

            IwarpTopology::Ends ends;
        };

        using Build = std::function<void(ns3::IwarpNetwork&, uint32_t, const ns3::IwarpNetwork::Link&,
                                         const ns3::IwarpNetwork::Link&, ns3::iwarp::python::Pairs&)>;

        Ptr<IwarpTopology> MakeTopology(Build build)
        {
            return CreateObject<IwarpFunctionTopology>(
                [build](IwarpNetwork& network, uint32_t pairs, const auto& link, const auto& access) {
                    Pairs made;
                    build(network, pairs, link, access, made);
                    return made.ends;
                });
        }
        }
    """)
    return ns3.iwarp.python.MakeTopology


@functools.cache
def load_function_workload() -> Callable[[Callable[..., None]], Any]:
    """Return what makes an ``IwarpFunctionWorkload`` of a function of Python's."""
    ns3 = load("ns3/iwarp-workload-function.h")
    _load_libraries().cppdef("""
        namespace ns3::iwarp::python
        {
        Ptr<IwarpWorkload> MakeWorkload(std::function<void(ns3::IwarpFunctionWorkload::Installer&)> function)
        {
            return CreateObject<IwarpFunctionWorkload>(function);
        }
        }
    """)
    return ns3.iwarp.python.MakeWorkload


@functools.cache
def define(code: str) -> ModuleType:
    """Compile C++, which may include any header of the module and of ns-3, once a process: ``cppyy.gbl``."""
    load()
    cppyy = _load_libraries()
    try:
        cppyy.cppdef(code)
    except SyntaxError as error:
        raise UsageError(f"this C++ does not compile: {error}") from None
    return cppyy.gbl


@functools.cache
def _load_libraries() -> ModuleType:
    find_ns3()  # whose headers are parsed
    places = find()
    try:
        import cppyy
    except ImportError as error:
        how = installing("bindings", SCRIPTS)
        raise IwarpError(f"C++ classes, and Python functions in runs, need cppyy: run `{how}` ({error})") from None
    for include in places.includes:
        cppyy.add_include_path(str(include))
    try:
        for library in (*places.ns3_libraries, places.library):
            cppyy.load_library(str(library))
        for define in ("NS3_LOG_ENABLE", "NS3_ASSERT_ENABLE", "NS3_BUILD_PROFILE_RELEASE"):
            cppyy.cppdef(f"#ifndef {define}\n#define {define} 1\n#endif\n")
    except (RuntimeError, ImportError) as error:
        raise outdated(error) from None
    return cppyy


def outdated(error: Exception) -> IwarpError:
    """Return what to say of a library that does not go with this package."""
    reason = str(error).strip().splitlines()[-1]
    return IwarpError(f"the iwarp library does not load, run `./iwarp build` again: {reason}")


@functools.cache
def library_id() -> str:
    """Return twelve hexadecimal digits that change whenever the built library does."""
    return hashlib.sha256(find().library.read_bytes()).hexdigest()[:12]
