# SPDX-License-Identifier: GPL-2.0-only
"""For the clone's developers: benchmarks, requirements against tests, types written from the library."""
