"""Rules of `scipy.signal`.

Convolutions, filters with memory, spectra, signals at other rates, waveforms.
"""
