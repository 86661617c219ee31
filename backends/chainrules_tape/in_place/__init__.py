"""In-place code."""
