"""The derivative formulas, laid out like the libraries they cover; nothing else is in here."""
