# SPDX-License-Identifier: GPL-2.0-only
"""Many runs: what is run, with which values, where, how often, and the rows that come of it."""
