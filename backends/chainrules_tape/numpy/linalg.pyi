from numpy.linalg import *
