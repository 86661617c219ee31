"""Checks of what rules promise: cheap ones in each call, all of them in debug mode.

    guards            cheap checks, made in every call of a rule that was written as a function
    contract          all checks, made in debug mode
    comparing         copies of arguments, to see whether a rule wrote to them

Read `guards` first. What is put here takes values and cotangents, and raises `RuleContractError`.
"""
