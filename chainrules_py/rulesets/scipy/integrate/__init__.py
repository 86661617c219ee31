"""Rules of `scipy.integrate`."""
