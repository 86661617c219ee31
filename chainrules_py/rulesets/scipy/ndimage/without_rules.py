"""The names of `scipy.ndimage` that have no rule, each with the reason."""

_CALLS = (
    "it calls a function for each window; write the filter in functions of arrays, which have rules"
)
_GREY = "it is made of maximum_filter and minimum_filter, which have rules"
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(
        ("generic_filter", "generic_filter1d", "generic_gradient_magnitude", "generic_laplace"),
        _CALLS,
    ),
    **dict.fromkeys(("vectorized_filter", "labeled_comprehension"), _CALLS),
    **dict.fromkeys(("grey_closing", "grey_dilation", "grey_erosion", "grey_opening"), _GREY),
    **dict.fromkeys(
        ("black_tophat", "white_tophat", "morphological_gradient", "morphological_laplace"), _GREY
    ),
    "geometric_transform": (
        "it calls a function for each point; compute the points for map_coordinates, which has the"
        " rule"
    ),
    "center_of_mass": (
        "it returns tuples; divide sum_labels of the image times the positions by sum_labels of the"
        " image"
    ),
    "extrema": "it returns positions among values; call maximum and minimum, which have rules",
    "median": "nobody wrote it; median_filter and numpy.median have rules",
}
