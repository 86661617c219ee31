"""Rules of `scipy.ndimage`."""
