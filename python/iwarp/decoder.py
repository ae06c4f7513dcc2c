# SPDX-License-Identifier: GPL-2.0-only
"""Decodes captures: pcap and pcapng files through the module's receive path."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from . import loader
from .errors import UsageError


class Decoder:
    """A capture being decoded; ``form`` is ``json``, ``text``, or ``none`` for the summary as text."""

    def __init__(self, file: str | os.PathLike[str], ports: Sequence[int] = (), mpa_only: bool = False,
                 form: str = "json"):
        self._decoder = loader.load("ns3/iwarp-decoder.h").IwarpDecoder()
        self._decoder.SetFormat(getattr(self._decoder, form.upper()))
        for port in ports:
            self._decoder.AddPort(port)
        if mpa_only:
            self._decoder.SetMpaOnly()
        if not self._decoder.Open(os.fspath(file)):
            raise UsageError(str(self._decoder.GetError()))

    def texts(self) -> Iterator[str]:
        """Yield what is found, some whole lines at a time."""
        while text := str(self._decoder.Read()):
            yield text

    @property
    def malformed(self) -> int:
        """How often something was malformed so far."""
        return int(self._decoder.GetMalformed())

    @property
    def streams(self) -> int:
        """How many connections with MPA there were so far."""
        return int(self._decoder.GetStreams())


def decode(file: str | os.PathLike[str], ports: Sequence[int] = (), mpa_only: bool = False) -> Iterator[dict[str, Any]]:
    """Decode the iWARP in a capture file: yield one dictionary an event, and the summary last.

    Only connections of ``ports`` are decoded if there are any; with ``mpa_only`` ULPDUs are not
    taken for DDP segments. The members are those of ``iwarp decode --json``.
    """
    for text in Decoder(file, ports, mpa_only).texts():
        for line in text.splitlines():
            yield json.loads(line)
