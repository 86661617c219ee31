"""Sparsity patterns: forward mode with patterns for tangents.

A derivative is taken forward, by the rules, as always; only that a tangent does not hold numbers
but says of each of its entries which entries of the argument it depends on. So what is found is
what the rules do, and the zeros that count are those that they know of: constants, and `ZERO`.

    rows            the structure: which columns each row has
    steps           what a function does to patterns, by the word that it has for its axes
    contractions    the letters that a product has for its axes, as in `numpy.einsum`
    memory          the tangents of arrays that a program writes into
    level           the level and its handles, which stand for the tangents
    detection       a function is run with patterns for tangents

Whatever is not known makes all rows of a result depend on all columns of its arguments. That is
right, but may be too many, so it is said (`Patterns.dense_because`).
"""
