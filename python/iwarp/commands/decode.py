# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp decode``: the iWARP in a capture file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ._options import json_option

if TYPE_CHECKING:
    from ..runs.decoder import Decoder


@click.command(name="decode")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--port", "ports", multiple=True, type=click.IntRange(1, 65535), metavar="N",
              help="Decode the connections of this TCP port, whatever they look like, and no others.")
@click.option("--summary", is_flag=True, help="Only what each connection came to.")
@click.option("--mpa", "mpa_only", is_flag=True, help="ULPDUs are not DDP segments: stop at MPA.")
@click.option("--esp-keys", metavar="FILE", type=click.Path(dir_okay=False),
              help="Open ESP with the keys of this file, Wireshark's esp_sa.")
@click.option("--tls-keys", metavar="FILE", type=click.Path(dir_okay=False),
              help="Open records of TLS with the secrets of this key log (SSLKEYLOGFILE).")
@json_option
def command(
    files: tuple[str, ...], ports: tuple[int, ...], summary: bool, mpa_only: bool, esp_keys: str | None,
    tls_keys: str | None, as_json: bool
) -> int:
    """Decode the iWARP in pcap or pcapng files through the module's own receive path.

    TCP is put together, in both directions of each connection, and MPA, DDP and RDMAP are read: a
    line for each startup frame and FPDU, for what is malformed and for what is not in the capture,
    and a summary of each connection. Connections joined midway are decoded where their octets tell
    how. With --json there is a JSON object a line, the summary last; with several files each has its
    own summary, and all objects name their file.

    Files may be compressed by gzip, if without they are of 256 MiB at most; - is standard input, decoded when it ends:
    tcpdump -w - | iwarp decode -

    Connections that begin as TLS 1.3 does are decoded as well, a line for each record.

    ESP and TLS are opened with the keys that `iwarp run --pcap` has written beside the file, or with those of
    --esp-keys and --tls-keys.

    The exit code is 1 if something is malformed, and 2 if a FILE cannot be read or is no capture.
    """
    from ..errors import UsageError
    from ..runs.decoder import Decoder

    form = "json" if as_json else "none" if summary else "text"
    codes = []
    for file in files:
        if len(files) > 1 and not as_json:
            click.echo(("\n" if codes else "") + f"{file}:")
        try:
            decoder = Decoder(file, ports, mpa_only, form, esp_keys, tls_keys)
            codes.append(_show(decoder, file if len(files) > 1 else None, summary, as_json))
        except UsageError as error:
            if len(files) == 1:
                raise
            click.echo(f"iwarp: {file}: {error}", err=True)
            codes.append(2)
    return max(codes)


def _show(decoder: Decoder, name: str | None, summary: bool, as_json: bool) -> int:
    """Print what is in a file, which objects name if it has a name; return its exit code."""
    member = f'{{"file": {json.dumps(name)}, ' if name is not None else "{"
    for text in decoder.texts():
        if as_json and summary:
            text = text[text.rfind("\n", 0, -1) + 1:]
            text = text if text.startswith('{"event": "summary"') else ""
        if as_json and name is not None:
            text = "".join(member + line[1:] for line in text.splitlines(keepends=True))
        click.echo(text, nl=False)
    if not decoder.streams:
        hint = "" if decoder.ports else "; --port N decodes one in any case"
        click.echo(f"iwarp: no connection in it carries MPA{hint}", err=True)
    return 1 if decoder.malformed else 0
