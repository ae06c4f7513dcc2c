# SPDX-License-Identifier: GPL-2.0-only
"""The bridge to ns3::IwarpScenario: its parameters as a schema, its metrics, and one run in this process.

All that Python asks of the C++ class: ListParameters(), ListQualifiedParameters(filter), FindParameter(name, …)
and ListMetrics(); SetParameter(name, value) and Check(), which return an empty string or what is wrong; Run(), with
GetError() where it returns false; GetMetrics(), GetReport() and GetCautions().
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from . import loader
from .errors import IwarpError, UsageError
from .netmap import Link, NetworkMap, Node
from .quantity import Quantity
from .schema import Param, Params, param_from_attribute


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

    def find_map(self, params: Mapping[str, Any]) -> NetworkMap:
        """Return the network that a run would have, built in this process and taken apart again."""


class Ns3Backend:
    """The Backend that is ns-3 with the iwarp library, loaded into this process."""

    def __init__(self) -> None:
        self._ns3 = loader.load()
        self._functions: list[Callable[..., Any]] = []
        self.ns3_version = loader.find().ns3_version
        self.code_id = loader.library_id()
        self.params = Params(map(_param, self._ns3.IwarpScenario.ListParameters()), self._find)
        self.metrics = {m.name: m for m in map(self._metric, self._ns3.IwarpScenario.ListMetrics())}
        self._warm_up()

    def list_qualified(self, part: str) -> list[Param]:
        return [_param(p) for p in self._ns3.IwarpScenario.ListQualifiedParameters(part)]

    def check(self, params: Mapping[str, Any]) -> None:
        self._make(params)

    def execute(self, params: Mapping[str, Any]) -> tuple[dict[str, Quantity], str, list[str]]:
        scenario = self._make(params)
        ends: list[Any] = []
        if observe := params.get("observe"):
            loader.load("ns3/iwarp-network.h")
            self._functions.append(lambda network: ends.append(observe(network)))
            scenario.SetObserver(self._functions[-1])
        try:
            good = scenario.Run()
            for end in filter(callable, ends):
                end()
            metrics = {str(m.name): Quantity(m.value, str(m.unit)) for m in scenario.GetMetrics()}
            report = str(scenario.GetReport())
            cautions = [self._in_snake_case(str(caution)) for caution in scenario.GetCautions()]
        except MemoryError:
            raise
        except Exception as error:  # a C++ exception, whatever its class, comes as a Python one
            raise IwarpError(_reason(error)) from None
        if not good:
            raise IwarpError(self._in_snake_case(str(scenario.GetError())))
        return metrics, report, cautions

    def find_map(self, params: Mapping[str, Any]) -> NetworkMap:
        found = self._ns3.IwarpNetworkMap()
        wrong = str(self._make(params).FindMap(found))
        if wrong:
            raise UsageError(self._in_snake_case(wrong))
        nodes = [
            Node(str(n.name), bool(n.router), bool(n.sends), bool(n.receives),
                 (float(n.longitude), float(n.latitude)) if n.placed else None)
            for n in found.nodes
        ]  # fmt: skip
        links = [
            Link(int(k.a), int(k.b), float(k.rate), float(k.delay), bool(k.used), bool(k.bottleneck))
            for k in found.links
        ]  # fmt: skip
        return NetworkMap(nodes, links)

    def _warm_up(self) -> None:
        """Make cppyy compile its wrappers here, once, rather than in each forked child: a run that is refused."""
        scenario = self._make({})
        for name in ("Octets", "Duration"):
            scenario.SetParameter(name, "0")
        scenario.Run()
        str(scenario.GetError())
        list(scenario.GetMetrics())
        str(scenario.GetReport())
        list(scenario.GetCautions())
        metric = self._ns3.AppMetric()
        str(metric.name), float(metric.value), str(metric.unit)

    def _make(self, params: Mapping[str, Any]) -> Any:
        scenario = self._ns3.CreateObject[self._ns3.IwarpScenario]()
        for name, value in params.items():
            if callable(value):
                if name == "topology":
                    scenario.SetTopology(self._topology(value, params))
                continue
            param = self.params[name]
            if "." not in name and value == param.default:
                continue  # an attribute of another class may have been given its default on purpose
            wrong = str(scenario.SetParameter(param.attribute, param.to_attribute(value)))
            if wrong:
                raise UsageError(self._in_snake_case(wrong))
        wrong = str(scenario.Check())
        if wrong:
            raise UsageError(self._in_snake_case(wrong))
        return scenario

    def _topology(self, build: Callable[..., Any], params: Mapping[str, Any]) -> Any:
        """Make an IwarpTopology of a function of Python's, with its parameters among ``params``."""

        def call(network: Any, pairs: int, link: Any, access: Any, made: Any) -> None:
            for sender, receiver in build(network, pairs, link, access):
                made.Add(sender, receiver)

        self._functions.append(call)  # C++ does not keep it
        topology = loader.load_function_topology()(call)
        text = loader.load("ns3/string.h").StringValue
        for name, value in params.items():
            base, _, attribute = self.params[name].target.rpartition(".")
            if base == "IwarpTopology":
                good = topology.SetAttributeFailSafe(attribute, text(self.params[name].to_attribute(value)))
                if not good:
                    raise UsageError(f"{name}={value} is not allowed")
        return topology

    def _in_snake_case(self, text: str) -> str:
        """Name parameters in a message of the C++ side as Python does, in one line."""
        names = {p.attribute: name for name, p in self.params.items()}
        return re.sub(r"(?<![\w.:])[A-Z]\w+(?!\w|\.\w|::)", lambda match: names.get(match[0], match[0]), " ".join(text.split()))

    def _find(self, name: str) -> Param:
        found = self._ns3.IwarpParameter()
        wrong = str(self._ns3.IwarpScenario.FindParameter(name, found))
        if wrong:
            raise UsageError(wrong)
        return _param(found)

    def _metric(self, info: Any) -> Metric:
        return Metric(str(info.name), str(info.unit), str(self._ns3.iwarp.ToString(info.merge)), str(info.help))


@functools.cache
def backend() -> Backend:
    """Return the one backend of this process, loading it the first time."""
    return Ns3Backend()


def _param(found: Any) -> Param:
    """Make a Param of an IwarpParameter."""
    return param_from_attribute(
        str(found.name), str(found.type), str(found.range), str(found.initial), str(found.help), str(found.target)
    )


def _reason(error: BaseException) -> str:
    """Return the last line of a C++ exception's text, which is what() itself."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
