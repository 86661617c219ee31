"""A derivative rule as data: which arguments it is for, what it is given, and how it is shown.

    rule              `Rule`, read from the signature of the function that an author wrote
    config            what the calling engine can do, as classes that rules dispatch on
    callables         the derivative with respect to what a callable holds, by `operator.call`
    explanation       which rule answers a call, for people, and the errors where none does
    formulas          partial derivatives as Python or LaTeX, for listings and notebooks

Read `rule` first. What is put here concerns one rule; `chainrules_py.table` holds all of them.
"""
