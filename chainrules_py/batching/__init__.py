"""Rules for many examples at once, the third mode of the table.

Examples lie in *lanes*: an array that holds one for each has one axis more, in front of its own. A
rule for batching is called with such arrays and computes all lanes in one call. It is written by
hand, or made from a word that says what the function does with axes (`words`): axes that are
counted from the end stay right when lanes come in front.

    lanes        which arguments have lanes, and what is the same in all of them
    loop         one call per lane: what is right for all functions that have no rule
    failures     what a call in lanes raises: what each of them does
    words        what a function does with axes, and the rule that follows from it
    along_axes   words for functions along axes
    cores        words for functions of vectors and matrices
    parts        lists of arrays, some of which have lanes
    indices      what is read and written where an index, an array or both have lanes

    lanes of a call         a tuple, an entry per argument: True if it has lanes, False if it has
                            none, and a tuple of these for a container, by its parts; then follow
                            the names of options that have lanes, and pairs of the name of a
                            container and the lanes of its parts
    result of a rule        an array with lanes, or `Same` for what has none; containers of them
"""
