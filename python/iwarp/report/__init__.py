# SPDX-License-Identifier: GPL-2.0-only
"""What people read: cells and columns, charts, figures, pages."""
