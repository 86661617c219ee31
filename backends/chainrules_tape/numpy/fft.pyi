from numpy.fft import *
