"""The meaning of a call: whose rule it asks for, and which argument is where.

    canonical         the primal behind an alias, a bound method or a `functools.partial`
    callform          options by keyword, and arguments by position
    tangent_order     tangents in the order of the canonical arguments, and back
    method_names      the methods of arrays that are functions of NumPy
    traced_values     what traced values answer to operators, methods and NumPy's functions
    decorator_misuse  decorators of rules that were used without their primal

A worked example: ``x.sum(0)`` is a method, for which `canonical` finds `np.sum`; `callform` makes
an option of its position, ``axis=0``. So ``np.sum(x, 0)`` and ``np.add.reduce(x)`` are that call.

Read `canonical` first, then `callform`. What is put here looks at calls, and never runs a rule.
"""
