"""Taylor mode: values that stand for power series, behind `taylor` and `higher_derivatives`.

Put here what a power series is and how its coefficients are computed. Read in this order:

    level         the handles, and what one operation on them becomes
    coefficients  how the coefficients of an operation's results are computed, step by step
    dispatch      operators and ufuncs of series

A worked example, ``taylor(lambda x: np.sin(x) * x, 0.5, 3)``: `np.sin` makes a node, whose
coefficients follow from those of its companion, `np.cos`, and the product one that sums products of
both. Round k computes coefficient k of each node in turn.

Recurrences are in `chainrules_py.rulesets.formulas.recurrences`, memory of series in
`in_place.series_memory`. `docs/design/batching.md` says why.
"""
