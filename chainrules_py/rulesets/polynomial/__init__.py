"""The rules for polynomials, of the main namespace of NumPy and of `numpy.polynomial`.

Programs that use the former alone do not load the latter.

Its six modules have the same functions, for series in six families of polynomials. A family is its
recurrence, and each rule is written once, for a family that it is given. Everything that a rule
makes of the recurrence is linear in the coefficients: the polynomials at the points, the series of
a derivative or an integral, a product, a conversion.
"""
