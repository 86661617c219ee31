"""The tests here share a module (`table_engine`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
