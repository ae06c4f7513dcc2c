# SPDX-License-Identifier: GPL-2.0-only
"""One rank of a run: ``python rank.py LIBRARY TASK ANSWER`` in a process of mpirun's (ranks), without the package."""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path


def main(library: str, task: str, answer: str) -> None:
    """Run the scenario that the file TASK has settings of; rank 0 writes the file ANSWER."""
    work = json.loads(Path(task).read_text())
    function = ctypes.CDLL(library, ctypes.RTLD_GLOBAL).iwarp_run_rank
    function.restype = ctypes.c_char_p
    function.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.c_bool]
    texts = [text.encode(errors="surrogateescape") for pair in work["settings"].items() for text in pair]
    if text := function((ctypes.c_char_p * len(texts))(*texts), len(texts), work["alone"]):
        Path(answer).write_bytes(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
