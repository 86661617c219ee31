"""Rules of `scipy.ndimage`.

Filters by image and weights, splines by image and coordinates, ranks, labelled regions.
"""
