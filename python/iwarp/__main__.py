# SPDX-License-Identifier: GPL-2.0-only
"""``python -m iwarp COMMAND …``."""

import sys

from .cli import main

sys.exit(main())
