# SPDX-License-Identifier: GPL-2.0-only
"""What the documentation states, made again: each figure of the studies, of the validation, and each picture."""
