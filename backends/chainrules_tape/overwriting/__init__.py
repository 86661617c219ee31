"""Plain arrays that a program overwrites after it has used them: gradients stay right, or an
`OverwrittenError` says which array it was.

    marks        some entries of a large array, which a pullback compares before it runs
    constants    constants of an operation, as far as its rule keeps them: copied, or marked
    arguments    arguments of the differentiated function

This lies below the core, and knows neither tapes nor handles.
"""
