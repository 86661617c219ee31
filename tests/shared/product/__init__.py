"""Programs, ways to differentiate them, and one judge: a test is a cell of their product.

    programs   the table of programs, with what each of them does
    ways       the table of ways, with what each of them refuses
    judge      what is expected of a cell, from the plain program alone

A new program is a row in `plain`, `writing`, `calling`, `solving`, `sampling`, `interpolating` or
`scoped`, a new way a row in `ways`.
"""
