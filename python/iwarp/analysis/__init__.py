# SPDX-License-Identifier: GPL-2.0-only
"""What can be concluded from many runs: means, comparisons, lines, findings."""
