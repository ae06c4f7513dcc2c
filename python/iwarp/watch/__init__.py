# SPDX-License-Identifier: GPL-2.0-only
"""A sweep seen while it runs, and after it: what is done, first figures, and each run's parameters and files."""
