# SPDX-License-Identifier: GPL-2.0-only
"""Decodes captures: pcap and pcapng files through the module's receive path."""

from __future__ import annotations

import ctypes
import gzip
import json
import os
import select
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

from ..errors import UsageError, whole_number
from . import library

_PIECE = 1 << 16  #: octets of a pipe that are taken at a time
_UNPACKED = 256 << 20  #: most octets that what gzip has compressed may become
_FORMS = ("text", "json", "none", "rows")  #: as IwarpDecoder::Format has them


class Decoder:
    """A capture being decoded; ``form`` is ``json``, ``text``, ``none`` for the summary as text, or ``rows``.

    ``file`` may be compressed by gzip, if it is of 256 MiB at most without; ``-`` is standard input, which is read to
    its end, or to Ctrl-C, first.
    ``esp_keys`` names a file with keys of ESP, as Wireshark's ``esp_sa`` has them, ``tls_keys`` a key log of TLS;
    without, those of a run are found that lie beside its pcap files.
    """

    def __init__(self, file: str | os.PathLike[str], ports: Sequence[int] = (), mpa_only: bool = False,
                 form: str = "json", esp_keys: str | os.PathLike[str] | None = None,
                 tls_keys: str | os.PathLike[str] | None = None):
        self._library = library.load()
        self.ports = _numbers(ports)
        name = os.fspath(file)
        self._copy = _copy(name)
        path = f"/proc/self/fd/{self._copy.fileno()}" if self._copy else name
        numbers = (ctypes.c_uint16 * len(ports))(*ports)
        self._decoder = self._library.iwarp_decoder_open(
            library.encode(path), numbers, len(ports), mpa_only, _FORMS.index(form),
            library.encode("" if esp_keys is None else os.fspath(esp_keys)),
            library.encode("" if tls_keys is None else os.fspath(tls_keys)),
        )  # fmt: skip
        if wrong := self._library.iwarp_decoder_error(self._decoder).decode(errors="replace"):
            raise UsageError(wrong.replace(path, "standard input" if name == "-" else name))

    def __del__(self) -> None:
        if getattr(self, "_decoder", None):
            self._library.iwarp_decoder_close(self._decoder)

    def texts(self) -> Iterator[str]:
        """Yield what is found, some whole lines at a time."""
        while text := self._library.iwarp_decoder_read(self._decoder).decode(errors="replace"):
            yield text

    @property
    def malformed(self) -> int:
        """How often something was malformed so far."""
        return self._library.iwarp_decoder_malformed(self._decoder)

    @property
    def streams(self) -> int:
        """How many connections with MPA there were so far."""
        return self._library.iwarp_decoder_streams(self._decoder)


def _numbers(ports: Sequence[int]) -> tuple[int, ...]:
    """Return ports of TCP, or raise UsageError where they are none."""
    if isinstance(ports, str) or not isinstance(ports, Iterable):
        raise UsageError(f"ports={ports!r} is no list: give ports=[7471]")
    found = tuple(whole_number("port", port) for port in ports)
    if found and max(found) > 65535:
        raise UsageError(f"port={max(found)} is out of range: at most 65535")
    return found


def _copy(name: str) -> IO[bytes] | None:
    """Return a file of what cannot be mapped into memory as it is: standard input, a pipe, what gzip has compressed."""
    if name == "-":
        return _spool(sys.stdin.buffer, name)
    with suppress(OSError):  # the decoder says what is wrong
        kind = os.stat(name).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISREG(kind):
            with open(name, "rb") as file:
                return _spool(file, name) if stat.S_ISFIFO(kind) or file.peek(2)[:2] == b"\x1f\x8b" else None
    return None


def _spool(source: Any, name: str) -> IO[bytes]:
    """Copy to a file without a name what comes until the end.

    Ctrl-C ends the program that captures as well: what it still has to say is waited for, until nothing comes for a
    second.
    """
    copy = tempfile.TemporaryFile()
    is_packed = source.peek(2)[:2] == b"\x1f\x8b"
    packed = gzip.GzipFile(fileobj=source) if is_packed else source

    def take() -> bool:
        octets = packed.read1(_PIECE)
        if is_packed and copy.tell() + len(octets) > _UNPACKED:
            raise UsageError(
                f"{name}: what gzip has compressed is of more than {_UNPACKED >> 20} MiB: decompress it first (gunzip)"
            )
        copy.write(octets)
        return bool(octets)

    try:
        try:
            while take():
                pass
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                while select.select([source], [], [], 1.0)[0] and take():
                    pass
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(f"{name}: what gzip has compressed is damaged: {error}") from None
    copy.flush()
    return copy


def decode(
    file: str | os.PathLike[str],
    ports: Sequence[int] = (),
    mpa_only: bool = False,
    esp_keys: str | os.PathLike[str] | None = None,
    tls_keys: str | os.PathLike[str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Decode the iWARP in a capture file: yield one dictionary an event, and the summary last.

    Only connections of ``ports`` are decoded if there are any; with ``mpa_only`` ULPDUs are not
    taken for DDP segments. ESP is opened with the keys of ``esp_keys``, Wireshark's ``esp_sa``, and TLS with those of
    ``tls_keys``, a key log, or of the files that a run has left beside its pcap files. The members are those of
    ``iwarp decode --json``.
    """
    for text in Decoder(file, ports, mpa_only, esp_keys=esp_keys, tls_keys=tls_keys).texts():
        for line in text.splitlines():
            yield json.loads(line)
