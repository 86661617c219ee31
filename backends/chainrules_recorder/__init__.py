"""An array library that writes down what is done with its arrays: programs for `compiled`.

program     the list of calls that comes out
"""
