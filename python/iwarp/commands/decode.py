# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp decode``: the iWARP in a capture file."""

from __future__ import annotations

import click

from ._options import json_option


@click.command(name="decode")
@click.argument("file", type=click.Path())
@click.option("--port", "ports", multiple=True, type=click.IntRange(1, 65535), metavar="N",
              help="Decode the connections of this TCP port, whatever they look like, and no others.")
@click.option("--summary", is_flag=True, help="Only what each connection came to.")
@click.option("--mpa", "mpa_only", is_flag=True, help="ULPDUs are not DDP segments: stop at MPA.")
@json_option
def command(file: str, ports: tuple[int, ...], summary: bool, mpa_only: bool, as_json: bool) -> int:
    """Decode the iWARP in a pcap or pcapng FILE through the module's own receive path.

    TCP is put together, in both directions of each connection, and MPA, DDP and RDMAP are read: a
    line for each startup frame and FPDU, for what is malformed and for what is not in the capture,
    and a summary of each connection. Connections joined midway are decoded where their octets tell
    how. With --json there is a JSON object a line, the summary last.

    The exit code is 1 if something is malformed, and 2 if FILE cannot be read or is no capture.
    """
    from ..decoder import Decoder

    decoder = Decoder(file, ports=ports, mpa_only=mpa_only, form="json" if as_json else "none" if summary else "text")
    for text in decoder.texts():
        if as_json and summary:
            text = text[text.rfind("\n", 0, -1) + 1:]
            text = text if text.startswith('{"event": "summary"') else ""
        click.echo(text, nl=False)
    if not decoder.streams:
        click.echo("iwarp: no connection in it carries MPA" + ("" if ports else "; --port N decodes one in any case"),
                   err=True)
    return 1 if decoder.malformed else 0
