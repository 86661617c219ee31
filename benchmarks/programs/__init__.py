"""The programs that are differentiated: plain functions of an array namespace, run unchanged by
every engine.
"""

from benchmarks.programs.bundle import bundle
from benchmarks.programs.chain import chain
from benchmarks.programs.deconvolution import deconvolution
from benchmarks.programs.gather import gather
from benchmarks.programs.kalman import kalman
from benchmarks.programs.lstm import lstm
from benchmarks.programs.mixture import large_mixture, mixture
from benchmarks.programs.ode import ode
from benchmarks.programs.perceptron import perceptron
from benchmarks.programs.program import Program as Program

SMALL_CHAINS = (chain(1), chain(100))
LARGE_CHAIN = chain(1_000_000)
ADBENCH = (mixture(), bundle(), lstm())
OTHERS = (large_mixture(), perceptron(), ode(), kalman(), deconvolution(), gather())

OWN = {program.name: program for program in (*SMALL_CHAINS, chain(10_000), perceptron(), ode())}
PROGRAMS = {program.name: program for program in (*SMALL_CHAINS, LARGE_CHAIN, *ADBENCH, *OTHERS)}
