# SPDX-License-Identifier: GPL-2.0-only
"""The bridge to ns3::IwarpScenario: its parameters as a schema, its metrics, and one run in this process.

It asks by the library's C interface, and through cppyy where a function of Python's takes part.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from ..errors import IwarpError, UsageError
from ..network.map import Link, NetworkMap, Node
from ..parameters.quantity import Quantity
from ..parameters.schema import Param, Params, param_from_attribute
from . import functions, library, loader, ranks
from .traces import Request, Traces


@dataclass(frozen=True)
class Metric:
    """What a metric is; ``merge`` is how the values of several flows, hosts or RNICs become one.

    sum and maximum; ratio, of sums; samples, from those of all; level, added at each moment and followed over
    time; run, one value only.
    """

    name: str
    unit: str
    merge: str
    help: str

    def to_json(self) -> dict:
        return asdict(self)


class Backend(Protocol):
    """What a run needs to know of the simulator."""

    ns3_version: str
    code_id: str
    params: Params
    metrics: dict[str, Metric]

    def list_qualified(self, part: str) -> list[Param]:
        """Return parameters whose qualified name contains ``part``; those of the module's classes if it is empty."""

    def check(self, params: Mapping[str, Any]) -> None:
        """Raise UsageError where the values, each good by itself, do not go together."""

    def execute(self, params: Mapping[str, Any]) -> tuple[dict[str, Quantity], str, list[str]]:
        """Run once in this process and return the metrics, the workload's table, which may be empty, and cautions."""

    def execute_traced(
        self, params: Mapping[str, Any], traces: Traces, directory: Path
    ) -> tuple[dict[str, Quantity], str, list[str]]:
        """Run once as ``execute``, and write traces of the run into a directory."""

    def execute_ranks(
        self, params: Mapping[str, Any], tree: Path, count: int | None
    ) -> tuple[dict[str, Quantity], str, list[str]]:
        """Run once in ``count`` processes of MPI's, or in one without it, by the library of an ns-3 source tree."""

    def find_map(self, params: Mapping[str, Any]) -> NetworkMap:
        """Return the network that a run would have, built in this process and taken apart again."""


class Ns3Backend:
    """The Backend that is ns-3 with the iwarp library, loaded into this process."""

    def __init__(self) -> None:
        self.ns3_version = loader.find().ns3_version
        listed = [_param(found) for found in library.ask("iwarp_list_parameters", None)]
        self._names = {p.attribute: p.name for p in listed}
        self.params = Params((replace(p, help=self._in_snake_case(p.help, prose=True)) for p in listed), self._find)

    @functools.cached_property
    def code_id(self) -> str:
        return loader.library_id()

    @functools.cached_property
    def metrics(self) -> dict[str, Metric]:
        return {metric["name"]: Metric(**metric) for metric in library.ask("iwarp_list_metrics")}

    def list_qualified(self, part: str) -> list[Param]:
        return [_param(found) for found in library.ask("iwarp_list_parameters", part)]

    def check(self, params: Mapping[str, Any]) -> None:
        if any(map(callable, params.values())):
            self._with_functions(params)
        elif wrong := library.check(self._settings(params)):
            raise UsageError(self._in_snake_case(wrong))

    def execute(self, params: Mapping[str, Any]) -> tuple[dict[str, Quantity], str, list[str]]:
        return self._measured(self._run(params, None))

    def execute_traced(
        self, params: Mapping[str, Any], traces: Traces, directory: Path
    ) -> tuple[dict[str, Quantity], str, list[str]]:
        request = Request(traces)
        try:
            done = self._run(params, request)
            if done.get("error", "").startswith("there is no node "):  # known when the network is built
                raise UsageError(f"trace: {self._in_snake_case(done['error'])}")
            measured = self._measured(done)
            settings = {
                name: f"function:{value.__name__}" if callable(value) else value for name, value in params.items()
            }
            request.write(directory, settings)
        finally:
            request.close()
        return measured

    def execute_ranks(
        self, params: Mapping[str, Any], tree: Path, count: int | None
    ) -> tuple[dict[str, Quantity], str, list[str]]:
        if functions := [name for name, value in params.items() if callable(value)]:
            raise UsageError(f"ranks: {functions[0]} is a function of this process, which ranks do not have")
        settings = self._settings(params)
        if count is not None and (wrong := library.check_ranks(settings)):
            raise UsageError(self._in_snake_case(wrong))
        return self._measured(ranks.execute(settings, tree, count))

    def _run(self, params: Mapping[str, Any], request: Request | None) -> dict[str, Any]:
        """Run once, with traces if they are requested, and return what iwarp_run() of the C interface does."""
        if any(map(callable, params.values())):
            helper = request.helper if request else None
            return functions.run(self._with_functions(params), params.get("observe"), helper)
        if request:
            return library.ask("iwarp_run_traced", self._settings(params), request.handle)
        return library.ask("iwarp_run", self._settings(params))

    def _measured(self, done: Mapping[str, Any]) -> tuple[dict[str, Quantity], str, list[str]]:
        """Return what a run has measured, or raise what it says."""
        self._raise_if_wrong(done)
        metrics = {
            m["name"]: Quantity(math.nan if m["value"] is None else m["value"], m["unit"]) for m in done["metrics"]
        }
        return metrics, done["report"], [self._in_snake_case(caution) for caution in done["cautions"]]

    def find_map(self, params: Mapping[str, Any]) -> NetworkMap:
        found = library.ask("iwarp_find_map", self._settings(params))
        self._raise_if_wrong(found)
        nodes = [
            Node(n["name"], n["router"], n["sends"], n["receives"],
                 (n["longitude"], n["latitude"]) if "longitude" in n else None)
            for n in found["nodes"]
        ]  # fmt: skip
        return NetworkMap(nodes, [Link(**link) for link in found["links"]])

    def _raise_if_wrong(self, answer: Mapping[str, Any]) -> None:
        """Raise what an answer of the C interface says."""
        if "memory" in answer:
            raise MemoryError(answer["memory"])
        for kind, error in (("usage", UsageError), ("error", IwarpError)):
            if kind in answer:
                raise error(self._in_snake_case(answer[kind]))

    def _settings(self, params: Mapping[str, Any]) -> dict[str, str]:
        """Return what differs from the defaults as C++ takes it."""
        settings = {}
        for name, value in params.items():
            if callable(value):
                continue
            param = self.params[name]
            if "." in name or value != param.default:  # an attribute may have been given its default on purpose
                settings[param.attribute] = param.to_attribute(value)
        return settings

    def _with_functions(self, params: Mapping[str, Any]) -> Any:
        """Return a scenario whose parameters hold functions, made through cppyy."""
        given = {name: params[name] for name in ("topology", "workload") if callable(params.get(name))}
        attributes: dict[str, dict[str, str]] = {"IwarpTopology": {}, "IwarpWorkload": {}}
        for name, value in params.items():
            if callable(value):
                continue
            base, _, attribute = self.params[name].target.rpartition(".")
            if base in attributes:
                attributes[base][attribute] = self.params[name].to_attribute(value)
        try:
            return functions.make(self._settings(params), given, attributes)
        except UsageError as error:
            raise UsageError(self._in_snake_case(str(error))) from None

    def _in_snake_case(self, text: str, prose: bool = False) -> str:
        """Name parameters in a text of the C++ side as Python does, in one line.

        In prose a word such as Delay that begins a sentence is no name.
        """
        text = " ".join(text.split())

        def named(match: re.Match[str]) -> str:
            before = text[: match.start()].rstrip()
            begins = not before or before[-1] in ".:;"
            return match[0] if prose and begins and match[0][1:].islower() else self._names.get(match[0], match[0])

        return re.sub(r"(?<![\w.:])[A-Z]\w+(?!\w|\.\w|::)", named, text)

    def _find(self, name: str) -> Param:
        found = library.ask("iwarp_find_parameter", name)
        if "usage" in found:
            raise UsageError(found["usage"])
        return _param(found)


@functools.cache
def backend() -> Backend:
    """Return the one backend of this process, loading it the first time."""
    return Ns3Backend()


def _param(found: Mapping[str, str]) -> Param:
    """Make a Param of an IwarpParameter."""
    return param_from_attribute(
        found["name"], found["type"], found["range"], found["initial"], found["help"], found["target"]
    )
