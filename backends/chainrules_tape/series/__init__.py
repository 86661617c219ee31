"""Taylor mode: values that stand for power series, behind `taylor` and `higher_derivatives`.

Put here what a power series is and how its coefficients are computed. Read in this order:

    level         the handles, and what one operation on them becomes
    coefficients  how the coefficients of an operation's results are computed, step by step
    dispatch      operators and ufuncs of series

Memory into which series are written is with other memory, in `in_place.series_memory`; how the
coefficients of sums, products and quotients follow from earlier ones is in the table, in
`chainrules_py.rulesets.formulas.recurrences`. `docs/design/batching.md` says why.
"""
