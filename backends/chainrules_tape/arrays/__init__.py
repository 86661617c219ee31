"""What a traced value answers when NumPy, Python or the user asks it something.

Put here how calls come to the engine, and nothing about what a derivative is. `behaviour` is the
one table of all that an array has; `protocols` are NumPy's two; `fast_calls` takes the nearly
always plain calls by one dictionary look-up, of which `fast_lookup` makes the entries, and hands
everything unusual to `core.levels.call`; `in_place` is augmented assignment.
"""
