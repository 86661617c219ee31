"""Rules of integrals, by limits and parameters or of samples, and of differential equations."""
