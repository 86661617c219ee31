"""The derivative formulas, laid out like the libraries they cover; nothing else is in here.

`functions.txt` says which modules have the rules of which function; a program writes it
(`tests/shared/table_of_rules.py`). All modules of a package here are imported with the pack of a
library's module (`values.shipped`). `without_rules.toml` says why other functions have none.
"""
