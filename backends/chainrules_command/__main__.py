"""Run the command line by ``python -m chainrules_command``, where the script `chainrules` is not on
the path.
"""

import sys

from chainrules_command.entry import main

if __name__ == "__main__":
    sys.exit(main())
