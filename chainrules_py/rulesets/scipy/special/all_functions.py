"""All rules for scipy.special; importing this registers them."""

from chainrules_py.rulesets.scipy.special import airy as airy
from chainrules_py.rulesets.scipy.special import bessel as bessel
from chainrules_py.rulesets.scipy.special import distributions as distributions
from chainrules_py.rulesets.scipy.special import elliptic as elliptic
from chainrules_py.rulesets.scipy.special import entropies as entropies
from chainrules_py.rulesets.scipy.special import error_functions as error_functions
from chainrules_py.rulesets.scipy.special import gamma_functions as gamma_functions
from chainrules_py.rulesets.scipy.special import hypergeometric as hypergeometric
from chainrules_py.rulesets.scipy.special import incomplete as incomplete
from chainrules_py.rulesets.scipy.special import integrals as integrals
from chainrules_py.rulesets.scipy.special import logistic as logistic
from chainrules_py.rulesets.scipy.special import orthogonal as orthogonal
from chainrules_py.rulesets.scipy.special import powers as powers
from chainrules_py.rulesets.scipy.special import python_functions as python_functions
from chainrules_py.rulesets.scipy.special import softmax as softmax
from chainrules_py.rulesets.scipy.special import without_rules as without_rules
