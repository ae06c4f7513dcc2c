# SPDX-License-Identifier: GPL-2.0-only
"""The C++ library by its C interface (helper/scenario/iwarp-c-interface.h): settings in, JSON out, no header parsed.

It takes a tenth of a second to load; what needs C++ classes, such as a Python function that builds a network, goes
through cppyy (loader).
"""

from __future__ import annotations

import ctypes
import functools
import json
from collections.abc import Mapping
from typing import Any

from ..errors import IwarpError
from . import loader

_TEXT, _SIZE = ctypes.c_char_p, ctypes.c_size_t
_TEXTS = ctypes.POINTER(_TEXT)
_FUNCTIONS = {
    "iwarp_list_parameters": (_TEXT, [_TEXT]),
    "iwarp_find_parameter": (_TEXT, [_TEXT]),
    "iwarp_list_metrics": (_TEXT, []),
    "iwarp_check": (_TEXT, [_TEXTS, _SIZE]),
    "iwarp_check_ranks": (_TEXT, [_TEXTS, _SIZE]),
    "iwarp_run": (_TEXT, [_TEXTS, _SIZE]),
    "iwarp_find_map": (_TEXT, [_TEXTS, _SIZE]),
    "iwarp_list_traces": (_TEXT, [_TEXT]),
    "iwarp_traces_open": (ctypes.c_void_p, [_TEXTS, _SIZE]),
    "iwarp_traces_error": (_TEXT, [ctypes.c_void_p]),
    "iwarp_traces_helper": (ctypes.c_void_p, [ctypes.c_void_p]),
    "iwarp_run_traced": (_TEXT, [_TEXTS, _SIZE, ctypes.c_void_p]),
    "iwarp_traces_tables": (_TEXT, [ctypes.c_void_p]),
    "iwarp_traces_cells": (ctypes.c_void_p, [ctypes.c_void_p, _SIZE, _SIZE]),
    "iwarp_traces_words": (_TEXT, [ctypes.c_void_p, _SIZE, _SIZE]),
    "iwarp_traces_close": (None, [ctypes.c_void_p]),
    "iwarp_decoder_open": (
        ctypes.c_void_p, [_TEXT, ctypes.POINTER(ctypes.c_uint16), _SIZE, ctypes.c_bool, ctypes.c_int, _TEXT, _TEXT]
    ),
    "iwarp_decoder_error": (_TEXT, [ctypes.c_void_p]),
    "iwarp_decoder_read": (_TEXT, [ctypes.c_void_p]),
    "iwarp_decoder_malformed": (ctypes.c_uint64, [ctypes.c_void_p]),
    "iwarp_decoder_streams": (ctypes.c_uint32, [ctypes.c_void_p]),
    "iwarp_decoder_close": (None, [ctypes.c_void_p]),
}  # fmt: skip


@functools.cache
def load() -> ctypes.PyDLL:
    """Load ns-3 and the library, once a process, for cppyy to find them loaded.

    A call keeps Python's lock: ns-3 has one simulator a process, and a thread must not fork in the middle of a call.
    """
    places = loader.find()
    try:
        for path in places.ns3_libraries:
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
        library = ctypes.PyDLL(str(places.library), ctypes.RTLD_GLOBAL)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise loader.outdated(error) from None
    return library


def ask(function: str, argument: str | Mapping[str, str] | None = (), *more: Any) -> Any:
    """Call a function that answers with JSON; its argument is a text, None, or settings by name; more may follow."""
    return json.loads(_call(function, argument, *more))


def check(settings: Mapping[str, str]) -> str:
    """Return an empty string, or one line that says what is wrong with settings."""
    return _call("iwarp_check", settings)


def check_ranks(settings: Mapping[str, str]) -> str:
    """Return an empty string, or one line that says why a run cannot be shared out to ranks."""
    return _call("iwarp_check_ranks", settings)


def _call(function: str, argument: Any, *more: Any) -> str:
    if isinstance(argument, Mapping):
        texts = [encode(text) for pair in argument.items() for text in pair]
        arguments = ((_TEXT * len(texts))(*texts), len(texts))
    else:
        arguments = () if argument == () else (None if argument is None else encode(argument),)
    return getattr(load(), function)(*arguments, *more).decode(errors="replace")


def encode(text: str) -> bytes:
    """Return a text as C++ takes it; raise IwarpError where it would be cut short."""
    octets = text.encode(errors="surrogateescape")
    if b"\0" in octets:
        raise IwarpError(f"{text!r} holds a null character")
    return octets
