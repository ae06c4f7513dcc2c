# SPDX-License-Identifier: GPL-2.0-only
"""One run: the library, the scenario, processes of runs, and captures decoded."""
