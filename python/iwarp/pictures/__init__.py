# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of a run or a capture: tables of what came and what became of it, and a page that shows them."""
