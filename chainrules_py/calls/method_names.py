"""The names of methods of `numpy.ndarray` that are functions of NumPy, with the array first."""

# sort and partition write into the array; reshape, transpose and compress take their arguments in
# another form
METHODS = (
    *("sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "cumsum", "cumprod"),
    *("argmax", "argmin", "argsort", "nonzero", "searchsorted"),
    *("ravel", "squeeze", "swapaxes", "diagonal", "trace"),
    *("take", "repeat", "dot", "clip", "round", "conj", "conjugate", "copy", "astype"),
)
RARER_METHODS = ("argpartition", "choose")  # which libraries like NumPy may lack
