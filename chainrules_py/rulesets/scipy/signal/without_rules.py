"""The names of `scipy.signal` that have no rule, each with the reason."""

_OBJECTS = "it makes objects; the functions stft, czt, lfilter and freqz have rules"
_DESIGN = (
    "it designs a filter from a specification; differentiate what is done with the coefficients"
)
_FORMS = (
    "it changes the form of a filter; numpy.poly, numpy.roots and numpy.linalg have the rules for"
    " what it is made of"
)
_RESPONSE = "it evaluates polynomials; numpy.polyval and freqz have rules"
_SYSTEM = (
    "it simulates a system that is given in one of several forms; lfilter and scipy.integrate are"
    " differentiated"
)
_SPLINE = "scipy.ndimage has filters and splines with rules"
_STATISTIC = "nobody wrote it; compose it of functions that have rules"
_WINDOW = "it makes a window of a length that is a whole number"
_STATE = "nobody wrote it; lfilter and lfilter_zi have rules"
DESIGNS = (
    *(
        "bessel",
        "butter",
        "cheby1",
        "cheby2",
        "ellip",
        "firls",
        "firwin",
        "firwin2",
        "firwin_2d",
        "remez",
        "gammatone",
        "iircomb",
    ),
    *(
        "iirdesign",
        "iirfilter",
        "iirnotch",
        "iirpeak",
        "minimum_phase",
        "kaiser_atten",
        "kaiser_beta",
    ),
    *(
        "kaiserord",
        "buttord",
        "cheb1ord",
        "cheb2ord",
        "ellipord",
        "band_stop_obj",
        "besselap",
        "buttap",
        "cheb1ap",
        "cheb2ap",
    ),
    *("ellipap", "findfreqs", "place_poles"),
)
FORMS = (
    *(
        "abcd_normalize",
        "bilinear_zpk",
        "cont2discrete",
        "invres",
        "invresz",
        "normalize",
        "residue",
        "residuez",
    ),
    *(
        "lp2bp",
        "lp2bs",
        "lp2hp",
        "lp2lp",
        "lp2bp_zpk",
        "lp2bs_zpk",
        "lp2hp_zpk",
        "lp2lp_zpk",
        "sos2tf",
        "sos2zpk",
        "ss2tf",
    ),
    *("ss2zpk", "tf2sos", "tf2ss", "tf2zpk", "zpk2sos", "zpk2ss", "zpk2tf", "unique_roots"),
)
RESPONSES = (
    "freqs",
    "freqs_zpk",
    "freqz_sos",
    "freqz_zpk",
    "sosfreqz",
    "group_delay",
    "bode",
    "dbode",
    "freqresp",
    "dfreqresp",
)
SYSTEMS = (
    "impulse",
    "step",
    "lsim",
    "dimpulse",
    "dlsim",
    "dstep",
    "lti",
    "dlti",
    "StateSpace",
    "TransferFunction",
    "ZerosPolesGain",
)
SPLINES = (
    *(
        "cspline1d_eval",
        "qspline1d_eval",
        "cspline2d",
        "qspline2d",
        "spline_filter",
        "sepfir2d",
        "symiirorder1",
        "symiirorder2",
    ),
)
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(("CZT", "ZoomFFT", "ShortTimeFFT", "closest_STFT_dual_window"), _OBJECTS),
    **dict.fromkeys(DESIGNS, _DESIGN),
    **dict.fromkeys(FORMS, _FORMS),
    **dict.fromkeys(RESPONSES, _RESPONSE),
    **dict.fromkeys(SYSTEMS, _SYSTEM),
    **dict.fromkeys(SPLINES, _SPLINE),
    **dict.fromkeys(
        ("lombscargle", "vectorstrength", "wiener", "envelope", "sweep_poly", "peak_prominences"),
        _STATISTIC,
    ),
    **dict.fromkeys(("peak_widths", "czt_points", "whittaker_henderson"), _STATISTIC),
    **dict.fromkeys(("lfiltic", "sosfilt_zi"), _STATE),
    "spectrogram": "it is abs(stft)**2, scaled; stft has the rule",
    "get_window": _WINDOW,
    "bilinear": "chainrules_tape.scipy.signal has a function of this name that is differentiated",
    "BadCoefficients": "it is a class of warnings",
}
