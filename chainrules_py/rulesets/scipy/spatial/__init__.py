"""Which names of `scipy.spatial` have no rule, and why."""
