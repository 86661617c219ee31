"""`scipy.stats` without types.

It collects its names when it is imported, which type checkers do not see.
"""

from typing import Any

import scipy.stats

stats: Any = scipy.stats
