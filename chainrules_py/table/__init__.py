"""The table of rules: rules are registered, looked up by dispatch, and called by `rrule`, `frule`.

Read `registry` first, then `registration`, `lookup` and `entry_points`.
"""
