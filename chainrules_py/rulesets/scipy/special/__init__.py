"""Rules of `scipy.special`: partial derivatives in its own functions, by topic.

Loaded when one of its functions is asked for.

Formulas are those of the Digital Library of Mathematical Functions, F. W. J. Olver et al.,
https://dlmf.nist.gov (DLMF), where nothing else is cited. Where the short formula loses digits,
near a removable singularity or far out, a series takes over (`series`). Derivatives by a parameter
without a formula in known functions are not implemented, and say so when they are used.
"""
