# SPDX-License-Identifier: GPL-2.0-only
"""The commands: one module each, whose ``command`` is a click command of the module's name."""
