# SPDX-License-Identifier: GPL-2.0-only
"""Another name of ``iwarp.Metric``'s module."""

from .runs.scenario import Metric

__all__ = ["Metric"]
