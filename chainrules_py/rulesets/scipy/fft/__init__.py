"""Rules of `scipy.fft`.

Fourier transforms by the formulas of numpy.fft, cosine and sine transforms, the Hankel transform.
"""
