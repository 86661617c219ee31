"""The contract of rules, checked: cheap guards in each call, everything in debug mode.

Read `guards` first, then `contract`.
"""
