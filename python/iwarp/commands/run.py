# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp run``: one run of the scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._options import json_option, limit_options, limits_of, split_settings, split_values, trace_options, traces_of


@click.command(name="run")
@click.argument("more", nargs=-1, metavar="[NAME=V]...")
@click.option("--set", "settings", multiple=True, metavar="NAME=V",
              help="Set a parameter, by its short or qualified name; `iwarp params` lists them. "
                   "--set may be left out.")  # fmt: skip
@click.option("--pcap", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
              help="Write pcap files there, with the keys of ESP if it is real.")  # fmt: skip
@click.option(
    "--netanim", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write a file for NetAnim."
)
@click.option("--ranks", metavar="N", type=click.IntRange(min=1),
              help="Share the run out to N processes of MPI's; --ns3 names the tree.")  # fmt: skip
@click.option("--ns3", "tree", metavar="TREE", type=click.Path(file_okay=False, exists=True, path_type=Path),
              help="Run in the ns-3 source tree that the module was built in (`iwarp build --ns3 TREE`), with times in "
                   "femtoseconds.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print all metrics, not only those that are asked for most.")
@limit_options
@trace_options
@json_option
def command(
    more: tuple[str, ...], settings: tuple[str, ...], pcap: Path | None, netanim: Path | None, ranks: int | None,
    tree: Path | None, verbose: bool, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Run the scenario once and print its metrics with their units, in groups.

    `iwarp metrics` says what they mean. Octets are told in kB and MB, of 1,000 and 1,000,000.
    """
    from .. import api
    from ..errors import UsageError
    from ..report.metric_groups import caution_of_idle
    from ..report.output import print_groups, print_json

    if ranks is not None and tree is None:
        raise click.UsageError("--ranks and --ns3 TREE go together: the ns-3 of PyPI has no MPI")
    params = split_settings((*settings, *more))
    for name, text in params.items():
        if text.startswith('"') and len(values := split_values(text)) == 1:
            params[name] = values[0]  # quoted as for a study
    if pcap is not None:
        try:
            pcap.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--pcap {pcap}: {error.strerror}") from None
        params["pcap"] = str(pcap.resolve() / "iwarp")
    limits = limits_of(options)
    traces, directory = traces_of(options)
    result = api.run(
        **params, **limits, net_anim=netanim, trace=traces, trace_dir=directory, ranks=ranks, ns3_tree=tree
    )
    if as_json:
        print_json(result.to_json())
    else:
        for caution in filter(None, [*result.cautions, caution_of_idle(result)]):
            click.echo(f"caution: {caution}", err=True)
        if result.report:
            print(result.report)
        if left_out := print_groups(result, verbose):
            click.echo(f"iwarp: -v prints {left_out} more", err=True)
        for entry in result.traces.index["traces"] if traces else []:
            rest = f", {entry['left_out']} left out" if entry["left_out"] else ""
            click.echo(f"{directory / entry['file']}: {entry['rows']} rows{rest}", err=True)
