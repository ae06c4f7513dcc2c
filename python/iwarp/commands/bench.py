# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp bench``: the cost of the stack against plain ns-3 TCP."""

from __future__ import annotations

import click

from ._options import json_option


@click.command(name="bench")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Measure what the stack costs against plain ns-3 TCP with the same payload, in one go.

    The measure is instructions per octet of payload, counted by valgrind's callgrind while the
    simulator runs; without valgrind, and with many connections, it is processor time. Less than
    one is cheaper than plain TCP. All together take some minutes, most of them plain TCP's with
    10,000 connections.
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
        time_ratio = "" if r.time_ratio is None else f"{r.time_ratio:.2f}"
        costs = f"{number_text(r.ours, 4)}{against} {r.unit}"
        rows.append((name, f"{r.ratio:.3f}", f"{r.target:.2f}", verdict, time_ratio, costs))
    print_columns(rows, ("benchmark", "ratio", "target", "", "time ratio", "cost against plain TCP"))
