# SPDX-License-Identifier: GPL-2.0-only
"""Runs with functions of Python's, which build the network or look at it: through cppyy, on the C++ classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import IwarpError, UsageError
from . import loader

_kept: list[Callable[..., Any]] = []  #: functions that C++ calls, but does not keep


def make(settings: Mapping[str, str], topology: Callable[..., Any] | None, of_topology: Mapping[str, str]) -> Any:
    """Return an IwarpScenario with settings; with a function for its topology, which has attributes ``of_topology``.

    What is wrong, in words of C++, is a UsageError.
    """
    ns3 = loader.load()
    scenario = ns3.CreateObject[ns3.IwarpScenario]()
    if topology is not None:
        scenario.SetTopology(_topology(topology, of_topology))
    for name, value in settings.items():
        wrong = str(scenario.SetParameter(name, value))
        if wrong:
            raise UsageError(wrong)
    wrong = str(scenario.Check())
    if wrong:
        raise UsageError(wrong)
    return scenario


def run(scenario: Any, observe: Callable[[Any], Any] | None) -> dict[str, Any]:
    """Run it and return what iwarp_run() of the C interface does."""
    ends: list[Any] = []
    if observe:
        loader.load("ns3/iwarp-network.h")
        _kept.append(lambda network: ends.append(observe(network)))
        scenario.SetObserver(_kept[-1])
    try:
        good = scenario.Run()
        for end in filter(callable, ends):
            end()
        metrics = [{"name": str(m.name), "value": float(m.value), "unit": str(m.unit)} for m in scenario.GetMetrics()]
        cautions = [str(caution) for caution in scenario.GetCautions()]
        report = str(scenario.GetReport())
    except MemoryError:
        raise
    except Exception as error:  # a C++ exception, whatever its class, comes as a Python one
        raise IwarpError(_reason(error)) from None
    if not good:
        return {"error": str(scenario.GetError())}
    return {"metrics": metrics, "report": report, "cautions": cautions}


def _topology(build: Callable[..., Any], attributes: Mapping[str, str]) -> Any:
    """Make an IwarpTopology of a function of Python's."""

    def call(network: Any, pairs: int, link: Any, access: Any, made: Any) -> None:
        for sender, receiver in build(network, pairs, link, access):
            made.Add(sender, receiver)

    _kept.append(call)
    topology = loader.load_function_topology()(call)
    text = loader.load("ns3/string.h").StringValue
    for name, value in attributes.items():
        if not topology.SetAttributeFailSafe(name, text(value)):
            raise UsageError(f"{name}={value} is not allowed")
    return topology


def _reason(error: BaseException) -> str:
    """Return the last line of a C++ exception's text, which is what() itself."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
