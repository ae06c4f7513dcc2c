# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp study``: a sweep with its table, figures and report."""

from __future__ import annotations

import contextlib
import itertools
import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..studies import NAMES
from ..version import program
from ._options import Place, cluster_options, join_values, json_option, place_of, split_settings, split_values

if TYPE_CHECKING:
    from ..studies.study import Request


@click.command(name="study")
@click.argument("name", required=False, metavar=f"[{'|'.join(NAMES)}]")
@click.argument("more", nargs=-1, metavar="[NAME=V,…]...")
@click.option("--preset", type=click.Choice(["quick", "full"]), help="How much to run; quick takes minutes.")
@click.option("--topology", metavar="T,…", help="Only these topologies.")
@click.option("--set", "settings", multiple=True, metavar="NAME=V,…",
              help='Only these values of a parameter, or these instead; "a,b" in double quotes is one value. '
                   "--set may be left out.")  # fmt: skip
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each configuration, with different random numbers.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at a time; by default one a processor.")
@click.option("--out", type=Place(), metavar="DIR", help="Where results go.")
@click.option("--resume", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Go on with the study in DIR: run what is missing or has failed.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say how many runs it would be and about how long; write nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@cluster_options
@json_option
def command(
    name: str | None, more: tuple[str, ...], settings: tuple[str, ...], resume: Path | None, jobs: int | None,
    cluster: str | None, slurm: int | None, shard: str | None, dry_run: bool, quiet: bool, as_json: bool, **asked: Any,
) -> None:  # fmt: skip
    """Sweep a scenario and write runs.parquet, summary.csv, plots, report.html and study.json.

    Without a name it is the alignment study: what it buys to keep FPDUs aligned with TCP segments. The buffers study
    asks how much memory an RNIC needs, the compute study what alignment spares a receiver, the window study how wide
    a receive window should be, the compare study on which paths iWARP, RoCE or selective repeat wins, the fabric
    study how long messages take in a data centre, beside RoCE-like transports, the ipsec study what ESP costs.
    Validate compares published figures and closed forms with what the simulator makes of them, and fails if one is
    out of its bound.
    """
    from ..report.output import print_json
    from ..studies.study import conduct
    from ..sweeps.progress import set_quiet

    if quiet:
        set_quiet()
    if name and "=" in name:
        name, more = None, (name, *more)
    asked["settings"] = (*settings, *more)
    request = _resumed(resume, name, **asked) if resume else _asked(name or "alignment", **asked)
    if dry_run:
        _forecast(request, jobs, as_json)
        return
    if not resume:
        request.out = _free(request)
    try:
        result = conduct(request, jobs, place_of(cluster, slurm), shard)
    except KeyboardInterrupt:
        click.echo(
            f"iwarp: interrupted; go on with: {program()} study --resume {shlex.quote(str(request.out))}", err=True
        )
        raise click.exceptions.Exit(1) from None
    if as_json:
        print_json(result)
    else:
        for line in result.get("lines", ()):
            click.echo(line)
        click.echo(f"{result['rows']} runs, {result['failed']} failed")
        if "report" in result:
            click.echo(f"report: {result['report']}")
        else:
            click.echo("no report of a part: join all of them with `iwarp merge`, then `iwarp study --resume`")
    if result["failed"] == result["rows"]:
        raise click.ClickException("every run failed; the report lists why")
    if result.get("outside"):
        raise click.ClickException(f"outside of their bounds: {', '.join(result['outside'])}")


def _forecast(request: Request, jobs: int | None, as_json: bool) -> None:
    """Say how much a study is."""
    from ..report.output import print_json
    from ..studies.study import planned_runs
    from ..sweeps.forecast import forecast

    planned = planned_runs(request)
    found = forecast(planned, jobs)
    with_the_run = {"run", *request.study.presets[request.preset].nuisance}
    configurations = len({
        json.dumps({name: value for name, value in run.params.items() if name not in with_the_run}, sort_keys=True)
        for run in planned
    })  # fmt: skip
    if as_json:
        print_json({"configurations": configurations, "runs": found.runs, "jobs": found.jobs, "seconds": found.seconds})
        return
    click.echo(f"{configurations} configurations, {found}")


def _free(request: Request) -> Path:
    """Return the directory asked for, or if other results are in it one beside it, of a name that is free."""
    path = request.out / "study.json"
    resumed = f" (to go on with the other: {program()} study --resume {shlex.quote(str(request.out))})"
    if not path.exists():
        if not (request.out / "runs.parquet").exists():
            return request.out
        resumed = ""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        saved = json.loads(path.read_text())
        if (saved.get("study"), saved.get("grids")) == (request.study.name, json.loads(json.dumps(request.grids))):
            return request.out  # the same again: only what is missing runs
    out = next(
        beside for number in itertools.count(2)
        if not (beside := request.out.with_name(f"{request.out.name}-{number}")).exists()
    )  # fmt: skip
    other = "another study is" if resumed else "a sweep's results are"
    click.echo(f"iwarp: {other} in {request.out}: this one goes to {out}{resumed}", err=True)
    return out


def _asked(
    name: str, preset: str | None, topology: str | None, settings: tuple[str, ...], runs: int | None, out: Path | None
) -> Request:
    from .. import studies
    from ..studies.restriction import build_grids, find_lost
    from ..studies.study import Request

    study = studies.get(name)
    preset = preset or "quick"
    changes = {n: split_values(text) for n, text in split_settings(settings).items()}
    if topology:
        changes["topology"] = split_values(topology)
    grids = build_grids(study, preset, changes)
    if not grids:
        raise click.UsageError(f"nothing of the study {name} has all of these values: see it without, by --dry-run")
    left_out = find_lost(study, preset, changes)
    runs = runs or study.presets[preset].runs
    out = out or Path("out") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    words = ["./iwarp", "study", name, "--preset", preset, "--runs", str(runs)]
    for changed in changes:
        words += ["--set", f"{changed}={join_values(changes[changed])}"]
    return Request(study, preset, grids, runs, out, shlex.join(words), left_out=left_out)


def _resumed(directory: Path, name: str | None, runs: int | None, **others: Any) -> Request:
    from .. import studies
    from ..runs import scenario
    from ..studies.study import Request

    given = [option for option, value in others.items() if value]
    if given:
        option = {"settings": "set"}.get(given[0], given[0])
        raise click.UsageError(f"--resume goes on with what {directory} was started with: leave out --{option}")
    path = directory / "study.json"
    try:
        saved = json.loads(path.read_text())
        study = studies.get(saved["study"])
        grids, saved_runs, code = saved["grids"], saved["runs"], saved["provenance"]["library"]
    except OSError:
        raise click.UsageError(f"{directory} holds no study to resume: {path} cannot be read") from None
    except (ValueError, KeyError, TypeError):
        raise click.UsageError(f"{path} is not what a study writes: start again with --out") from None
    if name and name != study.name:
        raise click.UsageError(f"{directory} holds the study {study.name}, not {name}")
    if code != scenario.backend().code_id:
        click.echo(
            "iwarp: the library has changed since this study was started: runs of another library are made again",
            err=True,
        )
    words = shlex.split(saved["command"])
    runs = runs or saved_runs
    if "--runs" in words:
        words[words.index("--runs") + 1] = str(runs)
    left_out = saved.get("left_out", [])
    return Request(study, saved["preset"], grids, runs, directory, shlex.join(words), left_out=left_out)
