# SPDX-License-Identifier: GPL-2.0-only
"""What ``import iwarp`` offers: load, define, params, run and sweep."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Unpack

from .errors import RunError, UsageError
from .parameters.quantity import Quantity
from .parameters.schema import Param, resolve, understood
from .parameters.types import Parameters
from .runs import loader, netanim, runner, scenario
from .runs import traces as tracing
from .runs.scenario import Metric
from .runs.traces import Traces, TraceTables
from .sweeps.program import Program
from .sweeps.subjects import FILES, FunctionSubject, ScenarioSubject
from .sweeps.traced import TracedSubject

if TYPE_CHECKING:
    import pandas

    from .pictures.show import Shown
    from .sweeps.sweeper import Grid
    from .sweeps.until import Until


class Result(dict[str, Quantity]):
    """The metrics of one run by name.

    ``params`` holds the value of each parameter with a short name and of those given besides, ``report`` the lines that
    the workload prints (perftest's table), or an empty string, ``cautions`` what their reader has to know, ``traces``
    the tables of the traces that were asked for, by name. ``show()`` makes the run once more with captures, and returns
    a picture of it, which notebooks show and ``save()`` writes.
    """

    def __init__(
        self,
        metrics: Mapping[str, Quantity],
        params: Mapping[str, Any],
        report: str = "",
        cautions: Sequence[str] = (),
        traces: Mapping[str, pandas.DataFrame] | None = None,
    ):
        super().__init__(metrics)
        self.traces: Mapping[str, pandas.DataFrame] = traces if traces is not None else {}
        self.params = dict(params)
        self.report = report
        self.cautions = list(cautions)

    def to_json(self) -> dict:
        metrics = {name: value.to_json() for name, value in self.items()}
        return {"params": self.params, "metrics": metrics, "cautions": self.cautions}

    def show(self) -> Shown:
        """Run the same once more with captures, and return the picture of it, which notebooks show.

        ``save("page.html")`` writes it, ``tables`` has its data.
        """
        from .pictures.show import show_run

        if parts := [name for name, value in self.params.items() if str(value).startswith("function:")]:
            raise UsageError(f"a run whose {parts[0]} is a function is shown by its captures: iwarp show DIR")
        return show_run(run, {name: value for name, value in self.params.items() if name not in FILES})

    def _repr_html_(self) -> str:
        """Return the metrics as notebooks show them, with the cautions and the workload's table."""
        from .report.output import to_html

        return to_html(self, self.report, self.cautions)


def load(*modules: str) -> ModuleType:
    """Load the C++ module and return its namespace, ``ns3``, for work with its classes.

    Each class of the module is declared when it is first asked for (``ns3.MpaStream``); classes of ns-3 that it does
    not use itself come with their modules, such as ``load("csma", "flow-monitor")``.
    """
    from .runs import namespace

    return namespace.load(modules)


def params(qualified: str | None = None) -> dict[str, Param]:
    """Return the parameters that have short names; or others by their qualified names.

    @param qualified part of the names, whatever the case: looks at every class of the module and of ns-3; an empty
        text lists those of the module.
    """
    backend = scenario.backend()
    if qualified is None:
        return dict(backend.params)
    return {param.name: param for param in backend.list_qualified(qualified)}


def metrics() -> dict[str, Metric]:
    """Return what runs may report, by name: unit, how several flows merge, help."""
    return dict(scenario.backend().metrics)


def traces(part: str = "") -> list[dict[str, Any]]:
    """Return the traces that ``run(trace=...)`` takes: name, source, kind (value or event), standard, help, columns.

    @param part of the names, whatever the case: looks at every class of the module and of ns-3; an empty text lists
        those with short names and those of the module's classes.
    """
    return tracing.listed(part)


def define(code: str) -> ModuleType:
    """Compile C++ code, once a process, and return the global namespace, which has what it defines by name.

    It may include any header of the module and of ns-3: what has to run for each packet, such as a function that a
    trace source calls, is written so, and connected in C++ (``observe``).
    """
    return loader.define(code)


def run(
    settings: Mapping[str, Any] | None = None,
    /,
    *,
    topology: str | Callable[..., Any] | None = None,
    workload: str | Callable[..., Any] | None = None,
    observe: Callable[[Any], Any] | None = None,
    net_anim: str | Path | None = None,
    trace: Traces | Sequence[str] | str | None = None,
    trace_dir: str | Path | None = None,
    trace_rows: int | None = None,
    ranks: int | None = None,
    ns3_tree: str | Path | None = None,
    timeout: float = runner.TIMEOUT,
    memory: float = runner.MEMORY,
    **params: Unpack[Parameters],
) -> Result:
    """Run the scenario once, in a process of its own.

    ``topology`` is the parameter of that name, or a function that builds the network: it is called with an empty
    ``ns3.IwarpNetwork``, the number of pairs of hosts asked for, and an ``IwarpNetwork.Link`` for links between routers
    and one for those of hosts, which have the parameters ``link_rate``, ``access_rate`` and so on. It adds routers,
    links and hosts, and returns the pairs, each as (index of the host that sends, index of the host that receives).

    ``workload`` is the parameter of that name, or a function that says what a flow carries: it is called for each
    flow, before the simulation, with the ``ns3.IwarpWorkload.Flow``, and functions ``install`` and ``post``.
    ``install(operation)``, where the operation is "write", "read" or "send", installs a client and a server, and
    returns them, to set their attributes. ``post(size, after=0)`` has a message posted after so many seconds ("5us")
    from the flow's start, or from now if that is later. If the function returns a function, that is called in the
    simulation with the size of each message that is complete, and may ``post`` others. The run ends when all have come.

    ``observe`` is called, in the run's process, with the ``ns3.IwarpNetwork`` when all is installed and nothing has
    begun; if it returns a function, that is called after the run. ``net_anim`` names a file for NetAnim.

    ``trace`` names traces to be taken down (see ``traces()``), or is a ``Traces`` that says more; ``result.traces``
    has a DataFrame for each, kept in ``trace_dir`` if that is given. ``trace_rows`` is the most rows of a table.

    ``ranks`` shares the run out to so many processes of MPI's, by the library in the source tree ``ns3_tree``.

    The run may take ``timeout`` seconds and ``memory`` octets, or infinity; one in ranks or a tree has no such limits.

    Parameters have short names (``markers``) or are attributes of any class of the module or of ns-3 by qualified
    name, for the time of the run. ``settings`` holds those whose names are no words of Python's, as in
    ``run({"MpaStream.SilentDrop": True}, markers=True)``, and may hold any. Texts have units ("10Gbps", "5us", "1MB",
    "1%"); numbers are in the parameter's own unit: seconds, bit/s.
    Raises UsageError on a bad parameter, RunError when the run fails.
    """
    limits, wanted = runner.Limits(timeout, memory), _wanted(trace, trace_rows)
    in_ranks = ranks is not None or ns3_tree is not None
    if in_ranks and (ns3_tree is None or wanted or net_anim is not None):
        raise UsageError("ranks, ns3_tree: a run in ranks needs the tree, and has no traces and no file for NetAnim")
    resolved, shown, given = _resolve_run(dict(settings or {}), params, topology, workload)
    if net_anim is not None:
        observe = netanim.animate(Path(net_anim), observe)
    if observe is not None:
        resolved["observe"] = observe
    backend = scenario.backend()
    backend.check(resolved)
    if ns3_tree is not None:
        return _run_ranks(resolved, shown, ranks, ns3_tree)
    return _run_alone(resolved, shown, given, wanted, trace_dir, limits)


def _run_alone(
    resolved: dict[str, Any], shown: dict[str, Any], given: dict[str, Any], wanted: Traces | None,
    trace_dir: str | Path | None, limits: runner.Limits,
) -> Result:  # fmt: skip
    """Run once, in a process of its own, and keep its traces."""
    temporary = tempfile.TemporaryDirectory(prefix="iwarp-traces-") if wanted and trace_dir is None else None
    directory = Path(temporary.name if temporary else trace_dir or ".")
    outcome = _execute(resolved, given, wanted, directory, limits)
    return Result(
        outcome.metrics, shown, outcome.report, outcome.cautions, TraceTables(directory, temporary) if wanted else None
    )


def _execute(
    resolved: dict[str, Any], given: dict[str, Any], wanted: Traces | None, directory: Path, limits: runner.Limits
) -> runner.Outcome:
    """Run once, in a process of its own, and return how it ended well."""
    backend = scenario.backend()

    def execute() -> runner.Measured:
        return backend.execute_traced(resolved, wanted, directory) if wanted else backend.execute(resolved)

    try:
        return runner.run_once(execute, limits)
    except RunError as error:
        taken = understood(given, backend.params)
        raise RunError(error.status, f"{error} ({taken})" if taken else str(error)) from None


def _run_ranks(resolved: dict[str, Any], shown: dict[str, Any], ranks: int | None, tree: str | Path) -> Result:
    """Run once by the library of an ns-3 source tree, in ranks if a number is given."""
    metrics, report, cautions = scenario.backend().execute_ranks(resolved, Path(tree).resolve(), ranks)
    return Result(metrics, shown, report, cautions)


def _resolve_run(
    given: dict[str, Any], params: Mapping[str, Any], topology: Any, workload: Any
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return all parameters of a run, the same as they are shown, and those that were given."""
    backend = scenario.backend()
    if twice := sorted(given.keys() & params.keys()):
        raise UsageError(f"{twice[0]} is given twice: in settings and by itself")
    given.update(params)
    parts = {"topology": topology, "workload": workload}
    given.update({name: part for name, part in parts.items() if part is not None and not callable(part)})
    if callable(workload):
        given.setdefault("plain_tcp", False)  # which does not know the function
    resolved = resolve(given, backend.params)
    shown = dict(resolved)
    for name, part in parts.items():
        if callable(part):
            resolved[name] = part
            shown[name] = f"function:{part.__name__}"
    return resolved, shown, given


def _wanted(trace: Traces | Sequence[str] | str | None, rows: int | None) -> Traces | None:
    """Return what is to be traced, or None; raise UsageError on a name that there is not."""
    if not trace:
        return None
    wanted = trace if isinstance(trace, Traces) else Traces(trace)
    wanted = wanted if rows is None else replace(wanted, rows=rows)
    tracing.Request(wanted).close()
    return wanted


def sweep(
    subject: Callable[..., Any] | Program | str | Path | Grid,
    grid: Grid | None = None,
    *,
    runs: int = 1,
    until: Until | None = None,
    shard: str | None = None,
    jobs: int | None = None,
    cluster: Any = None,
    out: str | Path | None = None,
    trace: Traces | Sequence[str] | str | None = None,
    trace_runs: Sequence[int] | None = None,
    timeout: float = runner.TIMEOUT,
    memory: float = runner.MEMORY,
) -> pandas.DataFrame:
    """Run every combination of ``grid`` with ``runs`` run numbers each, and return one row a run.

    @param subject what to run: a function, of which the grid names parameters and which returns a dict of what it
        measured; a Program, or its path, which takes them as ``--name=value``; left out, ``sweep(grid)``, the scenario.
    @param grid values by parameter name, each one value or a list; or a list of such grids, such as a design.
    @param runs replications of each combination: the parameter ``run`` counts from 1. Runs of one number have the same
        random numbers in every combination.
    @param until in place of ``runs``: repeats each combination until its mean is known well enough.
    @param shard ``"2/5"`` runs the second of five parts, as on five machines; merge() joins their directories.
    @param jobs processes at a time; by default one a processor.
    @param cluster where to run instead of here: the address of a Dask scheduler, ``"slurm:20"`` for 20 jobs of Slurm,
        or a client or cluster of Dask's.
    @param out directory for the results; runs that it has already are not run again.
    @param trace traces of the scenario, as for ``run``: each run leaves them in ``out/traces/KEY``, which its row names
        in column ``trace_dir``.
    @param trace_runs numbers of the runs that are traced; all, if it is left out.
    @param timeout seconds that a run may take; infinity is no limit.
    @param memory octets that a run may allocate; infinity is no limit.

    A run that fails is a row with its ``status`` and ``message``; units are in ``.attrs["units"]``, the
    names of the parameters that tell configurations apart in ``.attrs["varied"]``.
    """
    from .sweeps.sweeper import run_sweep

    if isinstance(subject, (Mapping, list, tuple)) and grid is None:
        what, grid = ScenarioSubject(), subject
    elif grid is None:
        raise UsageError("sweep(function, grid) or sweep(program, grid): the grid is missing")
    elif isinstance(subject, Program):
        what = subject
    else:
        what = Program(subject) if isinstance(subject, (str, Path)) else FunctionSubject(subject)
    if wanted := _wanted(trace, None):
        if type(what) is not ScenarioSubject or out is None:
            raise UsageError("trace: a sweep of the scenario has traces, sweep(grid, trace=..., out=DIRECTORY)")
        what = TracedSubject(traces=wanted, directory=Path(out).absolute() / "traces", runs=trace_runs)
    return run_sweep(
        what, grid, runs=runs, until=until, shard=shard, jobs=jobs, cluster=cluster, out=out,
        timeout=timeout, memory=memory,
    )  # fmt: skip
