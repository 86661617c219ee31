"""Functions that make fewer entries of many: sums, extremes, statistics, running totals,
histograms.
"""
