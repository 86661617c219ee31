"""The checks, each of one promise; `verification` runs them in an order that makes the first
failure the cause.
"""
