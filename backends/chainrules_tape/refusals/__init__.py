"""Refusals and advice: errors that say what would lose a gradient, and what to write instead.

A right program meets nothing of this. It lies below the core, which raises these errors; `errors`
comes first.
"""
