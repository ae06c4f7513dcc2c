# SPDX-License-Identifier: GPL-2.0-only
"""Ready-made studies by name; each module here that defines STUDY is one."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from .study import Study

NAMES = ("alignment", "buffers", "compare", "compute", "fabric", "ipsec", "offload", "validate", "window")


def get(name: str) -> Study:
    """Return the study of that name, or raise UsageError."""
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"; there is {', '.join(NAMES)}"
        raise UsageError(f'there is no study "{name}"{hint}')
    return importlib.import_module(f".{name}", __name__).STUDY
