"""How fast we are, at each commit and against whom; `docs/design/benchmarks.md` explains the
suites.
"""
