"""Rules of `scipy.signal`."""
