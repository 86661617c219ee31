"""The command line `chainrules`: an adapter between people at a terminal and the other packages,
which know nothing of it.

    entry       which commands there are; from a command line to its exit status
    commands/   a file per command: `add_arguments` says what it takes, `run` makes an `Answer`
    answers     what a command found: data for `--json`, and text and tables for people
    names       functions and modules by the names that people write, and which names they may have meant
    arguments   values by what people write: ``2.0``, ``[1.0, 2.0]``, ``float64[2,3]``
    migration, autograd_names   files with our imports in the place of autograd's
    misuse      the error for a command that was written wrongly
    reports     an error of the program that a command ran, with the lines of that program

Nothing is imported before it is needed, NumPy included, so that `chainrules --help` answers at
once.
"""
