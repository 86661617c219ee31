"""Reading a traced program: as a listing, as a graph, and which rule fires where.

Put here what people look at; nobody needs it to take a derivative. `program` traces a call into a
recorded program, with notes on rules and what they keep (`residuals`); `listing` prints it (`show`),
and `drawing` writes it as a graph, Mermaid's text (`draw`), both after `folding` the repeated
stretches; `notation` writes names and constants. `explanation` says which rule differentiates a call.
"""
