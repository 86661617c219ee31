"""Functions that make fewer entries of many.

Sums, extremes, statistics, running totals, histograms.
"""
