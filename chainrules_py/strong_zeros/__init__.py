"""Products in which zero times infinity is zero, at no cost where everything is finite.

`float_errors` hears of NumPy's floating-point errors, `strictness` calls a pullback again in its
careful form, and `strong_contraction` is that form for sums of products.
"""
