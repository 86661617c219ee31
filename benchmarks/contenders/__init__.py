"""Libraries side by side on programs that a user knows, each library in a process of its own.

`known` has the programs, `by_python` and `by_compilers` how each library differentiates them,
`worker` is the process of one library, and `turns` lets these processes take turns.
"""
