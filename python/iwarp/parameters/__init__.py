# SPDX-License-Identifier: GPL-2.0-only
"""Parameters as Python sees them: names, types, units, ranges, groups.

From here come the types for editors and type checkers, which ``types.py`` holds.
"""

from .types import Count, Number, Parameters, Rate, Time

__all__ = ["Count", "Number", "Parameters", "Rate", "Time"]
