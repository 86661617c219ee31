"""Mathematics and small functions that several rulesets share; no rule is registered here."""
