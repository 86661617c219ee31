"""Sampled functions of many examples at once."""
