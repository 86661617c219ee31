"""The table of rules: rules are registered, found by the classes of a call, and called.

    registry          `RuleTable`, and `default_rules`, in which all rules stand
    registration      rules are put in and taken out; packs are loaded
    kept_rules        the rules of a primal, and whether the table or the primal keeps them alive
    generations       which rules are older, and which lost the partner that they came with
    signature_checks  does a rule's signature agree with its primal's?
    matching          which rule of a primal is the most specific one
    memory            answers that a table remembers until a rule arrives
    lookup            the rule of a call, and its function bound to the classes of the call
    entry_points      `rrule` and `frule`
    derived_rules     the rule of one mode from that of the other

Read `registry` first, then `registration`, `lookup` and `entry_points`. What is put here serves all
primals alike; what concerns one rule stands in `chainrules_py.rules`.
"""
