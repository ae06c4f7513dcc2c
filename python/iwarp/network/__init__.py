# SPDX-License-Identifier: GPL-2.0-only
"""Networks of runs as nodes and links, and where a picture has them."""
