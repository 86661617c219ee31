"""A derivative rule as data: what it dispatches on, what it asks to be given, how it is explained.

Read `rule` first. The table that holds rules is `chainrules_py.table`.
"""
