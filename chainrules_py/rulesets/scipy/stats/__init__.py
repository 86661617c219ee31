"""Rules of `scipy.stats`.

The methods of its distributions, from a table of their densities, and statistics of samples.

A rule is registered for a method of the class of all distributions (`methods`), and finds what is
particular to one of them in a table (`families`), which the other files fill.
"""
