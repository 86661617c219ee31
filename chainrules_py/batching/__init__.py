"""Rules for many examples at once, the third mode of the table.

Examples lie in *lanes*: an array that holds one for each has one axis more, in front of its own. A
rule for batching is called with such arrays and computes all lanes in one call. It is written by
hand, or made from a word that says what the function does with axes (`words`): axes that are
counted from the end stay right when lanes come in front.

    lanes        which arguments have lanes, and what is the same in all of them
    loop         one call per lane: what is right for all functions that have no rule
    made_up      numbers with which a function is called to find out what it returns
    failures     what a call in lanes raises: what each of them does
    words        what a function does with axes, and the rule that follows from it
    along_axes   words for functions along axes
    cores        words for functions of vectors and matrices
    parts        lists of arrays, some of which have lanes
    indices      what is read and written where an index, an array or both have lanes

A worked example, ``batched(np.stack, ((True, False),), [x, w], axis=0)`` of x (5, 3), which is five
examples, and w (3,):

    lanes of the call   an entry per argument, here of the parts of a list: x has lanes, w has none.
                        Names of options with lanes may follow, and pairs of the name of a container
                        and the lanes of its parts
    the rule            gives w an axis in front, and stacks along axis 1
    its result          an array (5, 2, 3) with lanes; what has none is a `Same`
"""
