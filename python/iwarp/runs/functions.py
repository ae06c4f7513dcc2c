# SPDX-License-Identifier: GPL-2.0-only
"""Runs with functions of Python's, which build the network, post messages or look on: through cppyy, on C++ classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import IwarpError, UsageError
from . import loader

OPERATIONS = ("write", "read", "send")  #: how the messages of a workload's function are moved

_kept: list[Callable[..., Any]] = []  #: functions that C++ calls, but does not keep


def make(
    settings: Mapping[str, str],
    functions: Mapping[str, Callable[..., Any]],
    attributes: Mapping[str, Mapping[str, str]],
) -> Any:
    """Return an IwarpScenario with settings; with ``functions`` for its topology and workload.

    ``attributes`` has those of the base classes of topologies and workloads, by class. What is wrong, in words of C++,
    is a UsageError.
    """
    ns3 = loader.load()
    scenario = ns3.CreateObject[ns3.IwarpScenario]()
    if build := functions.get("topology"):
        scenario.SetTopology(_with(_topology(build), attributes["IwarpTopology"]))
    if carry := functions.get("workload"):
        scenario.SetWorkload(_with(_workload(carry), attributes["IwarpWorkload"]))
    for name, value in settings.items():
        wrong = str(scenario.SetParameter(name, value))
        if wrong:
            raise UsageError(wrong)
    wrong = str(scenario.Check())
    if wrong:
        raise UsageError(wrong)
    return scenario


def run(scenario: Any, observe: Callable[[Any], Any] | None, traces: int | None = None) -> dict[str, Any]:
    """Run it and return what iwarp_run() of the C interface does; ``traces`` is the address of an IwarpTraceHelper."""
    if traces:
        import cppyy

        ns3 = loader.load("ns3/iwarp-trace-helper.h")
        scenario.SetTraces(cppyy.bind_object(traces, ns3.IwarpTraceHelper))
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


def _topology(build: Callable[..., Any]) -> Any:
    """Make an IwarpTopology of a function of Python's."""

    def call(network: Any, pairs: int, link: Any, access: Any, made: Any) -> None:
        for sender, receiver in build(network, pairs, link, access):
            made.Add(sender, receiver)

    _kept.append(call)
    return loader.load_function_topology()(call)


def _workload(carry: Callable[..., Any]) -> Any:
    """Make an IwarpWorkload of a function of Python's."""
    make = loader.load_function_workload()
    ns3 = loader.load("ns3/nstime.h")

    def call(installer: Any) -> None:
        def install(operation: str = "write") -> tuple[Any, Any]:
            if operation not in OPERATIONS:
                raise UsageError(f'install("{operation}"): there is {", ".join(OPERATIONS)}')
            installer.Install(getattr(ns3.RdmaBulkOperation, operation.upper()))
            return installer.GetClient(), installer.GetServer()

        def post(size: int, after: float | str = 0.0) -> None:
            installer.Post(int(size), ns3.Time(after) if isinstance(after, str) else ns3.Seconds(float(after)))

        arrived = carry(installer.GetFlow(), install, post)
        if callable(arrived):
            _kept.append(arrived)
            installer.SetCompletion(arrived)

    _kept.append(call)
    return make(call)


def _with(part: Any, attributes: Mapping[str, str]) -> Any:
    """Set attributes of a topology or workload."""
    text = loader.load("ns3/string.h").StringValue
    for name, value in attributes.items():
        if not part.SetAttributeFailSafe(name, text(value)):
            raise UsageError(f"{name}={value} is not allowed")
    return part


def _reason(error: BaseException) -> str:
    """Return the last line of a C++ exception's text, which is what() itself."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
