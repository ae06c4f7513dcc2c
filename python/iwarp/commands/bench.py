# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp bench``: the cost of the stack against plain ns-3 TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ._options import json_option

if TYPE_CHECKING:
    from ..development import benchmarks


@click.command(name="bench")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Measure what the stack costs against plain ns-3 TCP with the same payload, in one go.

    The measure is instructions per octet of payload, counted by valgrind's callgrind while the
    simulator runs; without valgrind, and with 1,000 connections and more, it is processor time.
    Less than one is cheaper than plain TCP. Processor time is that of pairs of runs in the order
    ABBA, repeated until the 95 % interval of the ratio's mean is within 5 % of it, 4 to 20 times.
    All together take some minutes, most of them plain TCP's with 10,000 connections.
    """
    from .._setup import machine
    from ..development import benchmarks
    from ..parameters.quantity import number_text
    from ..report.output import print_columns, print_json

    chosen = benchmarks.choose(names)
    machine.provide({}, machine.FOR_BENCHMARKS)
    results = benchmarks.run(chosen)
    if as_json:
        print_json({name: result.to_json() for name, result in results.items()})
        return
    rows = []
    for name, r in results.items():
        verdict = "met" if r.ratio <= r.target else "missed"
        against = "" if r.plain_tcp is None else f" against {number_text(r.plain_tcp, 4)}"
        by_time = "" if r.time is None else f"{r.time.value:.3f}", _interval_text(r)
        costs = f"{number_text(r.ours, 4)}{against} {r.unit}"
        rows.append((name, f"{r.ratio:.3f}", f"{r.target:.2f}", verdict, r.measure, *by_time, costs))
    titles = ("benchmark", "ratio", "target", "", "measure", "by time", "95 % interval", "cost against plain TCP")
    print_columns(rows, titles)
    if not all(r.settled for r in results.values()):
        click.echo("* the limit of pairs was reached before the interval was within 5 %", err=True)


def _interval_text(result: benchmarks.Result) -> str:
    """Return the interval of a ratio by time, with a star if it is wider than is wanted."""
    time = result.time
    if time is None:
        return ""
    star = "" if result.settled else " *"
    return f"{time.low:.3f} to {time.high:.3f}, {time.pairs} pairs{star}"
