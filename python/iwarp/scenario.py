# SPDX-License-Identifier: GPL-2.0-only
"""The bridge to ns3::IwarpScenario: its attributes as a schema, and one run in this process.

All that Python asks of the C++ class: GetTypeId(); SetParameter(name, value) and Check(), which
return an empty string or what is wrong; Run(), with GetError() where it returns false; GetMetrics() and
GetReport().
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Protocol

from . import loader
from .errors import IwarpError, UsageError
from .quantity import Quantity
from .schema import Param, param_from_attribute


class Backend(Protocol):
    """What a run needs to know of the simulator."""

    ns3_version: str
    code_id: str
    params: dict[str, Param]

    def check(self, params: Mapping[str, Any]) -> None:
        """Raise UsageError where the values, each good by itself, do not go together."""

    def execute(self, params: Mapping[str, Any]) -> tuple[dict[str, Quantity], str]:
        """Run once in this process and return the metrics and the workload's table, which may be empty."""


class Ns3Backend:
    """The Backend that is ns-3 with the iwarp library, loaded into this process."""

    def __init__(self) -> None:
        self._ns3 = loader.load()
        self.ns3_version = loader.find().ns3_version
        self.code_id = loader.library_id()
        self.params = _read_schema(self._ns3.IwarpScenario.GetTypeId())
        self._warm_up()

    def check(self, params: Mapping[str, Any]) -> None:
        self._make(params)

    def execute(self, params: Mapping[str, Any]) -> tuple[dict[str, Quantity], str]:
        scenario = self._make(params)
        try:
            good = scenario.Run()
            metrics = {str(m.name): Quantity(m.value, str(m.unit)) for m in scenario.GetMetrics()}
            report = str(scenario.GetReport())
        except MemoryError:
            raise
        except Exception as error:  # a C++ exception, whatever its class, comes as a Python one
            raise IwarpError(_reason(error)) from None
        if not good:
            raise IwarpError(self._in_snake_case(str(scenario.GetError())))
        return metrics, report

    def _warm_up(self) -> None:
        """Make cppyy compile its wrappers here, once, rather than in each forked child: a run that is refused."""
        scenario = self._make({})
        for name in ("Octets", "Duration"):
            scenario.SetParameter(name, "0")
        scenario.Run()
        str(scenario.GetError())
        list(scenario.GetMetrics())
        str(scenario.GetReport())
        metric = self._ns3.IwarpMetric()
        str(metric.name), float(metric.value), str(metric.unit)

    def _make(self, params: Mapping[str, Any]) -> Any:
        scenario = self._ns3.CreateObject[self._ns3.IwarpScenario]()
        for name, value in params.items():
            param = self.params[name]
            wrong = str(scenario.SetParameter(param.attribute, param.to_attribute(value)))
            if wrong:
                raise UsageError(self._in_snake_case(wrong))
        wrong = str(scenario.Check())
        if wrong:
            raise UsageError(self._in_snake_case(wrong))
        return scenario

    def _in_snake_case(self, text: str) -> str:
        """Name parameters in a message of the C++ side as Python does."""
        names = {p.attribute: name for name, p in self.params.items()}
        return re.sub(r"\b[A-Z]\w+", lambda match: names.get(match.group(), match.group()), text)


@functools.cache
def backend() -> Backend:
    """Return the one backend of this process, loading it the first time."""
    return Ns3Backend()


def _read_schema(tid: Any) -> dict[str, Param]:
    params = {}
    for i in range(tid.GetAttributeN()):
        info = tid.GetAttribute(i)
        default = str(info.initialValue.SerializeToString(info.checker))
        param = param_from_attribute(
            str(info.name),
            str(info.checker.GetValueTypeName()),
            str(info.checker.GetUnderlyingTypeInformation()),
            default,
            str(info.help),
        )
        params[param.name] = param
    return params


def _reason(error: BaseException) -> str:
    """Return the last line of a C++ exception's text, which is what() itself."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
