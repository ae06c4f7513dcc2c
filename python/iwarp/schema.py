# SPDX-License-Identifier: GPL-2.0-only
"""Another name of ``iwarp.Param``'s module."""

from .parameters.schema import Param

__all__ = ["Param"]
