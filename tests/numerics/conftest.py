"""A module that changes NumPy is imported by the interpreters of one test alone."""

collect_ignore = ["newer_numpy.py"]
