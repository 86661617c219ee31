"""Reading a traced program: as a listing, as a picture, and which rule fires where.

Put here what people look at; nobody needs it to take a derivative. `program` records a call with
the names of its values (`notation`, `residuals`); `listing` prints it (`show`), and `drawing` makes
an SVG of it (`draw`) by `graph` and `layout`, both after `folding` the repeated stretches that
`repetition` finds. `explanation` says which rule differentiates a call.
"""
