"""A file per command of `chainrules`, which `entry` imports when that command is written.

Each has `EXAMPLES`, lines for its help; `add_arguments(parser)`, what it takes; and `run(options,
err)`, which returns an `Answer`. What is long shows on `err` how far it is. To add a command, write
its file and its line in `entry.COMMANDS`.
"""
