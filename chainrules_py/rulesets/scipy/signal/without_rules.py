"""The names of `scipy.signal` that have no rule, each with the reason."""

from chainrules_py.rulesets.scipy.reasons import reason_of_each

NO_RULE_YET: dict[str, str] = reason_of_each(
    {
        "it makes objects; the functions stft, czt, lfilter and freqz have rules": (
            "CZT ZoomFFT ShortTimeFFT closest_STFT_dual_window"
        ),
        "it designs a filter from a specification; differentiate what is done with the "
        "coefficients": """
            bessel butter cheby1 cheby2 ellip firls firwin firwin2 firwin_2d remez gammatone
            iircomb iirdesign iirfilter iirnotch iirpeak minimum_phase kaiser_atten kaiser_beta
            kaiserord buttord cheb1ord cheb2ord ellipord band_stop_obj besselap buttap cheb1ap
            cheb2ap ellipap findfreqs place_poles
        """,
        "it changes the form of a filter; numpy.poly, numpy.roots and numpy.linalg have "
        "the rules for what it is made of": """
            abcd_normalize bilinear_zpk cont2discrete invres invresz normalize residue residuez
            lp2bp lp2bs lp2hp lp2lp lp2bp_zpk lp2bs_zpk lp2hp_zpk lp2lp_zpk sos2tf sos2zpk ss2tf
            ss2zpk tf2sos tf2ss tf2zpk zpk2sos zpk2ss zpk2tf unique_roots
        """,
        "it evaluates polynomials; numpy.polyval and freqz have rules": """
            freqs freqs_zpk freqz_sos freqz_zpk sosfreqz group_delay bode dbode freqresp
            dfreqresp
        """,
        "it simulates a system that is given in one of several forms; lfilter and "
        "scipy.integrate are differentiated": """
            impulse step lsim dimpulse dlsim dstep lti dlti StateSpace TransferFunction
            ZerosPolesGain
        """,
        "scipy.ndimage has filters and splines with rules": """
            cspline1d_eval qspline1d_eval cspline2d qspline2d spline_filter sepfir2d
            symiirorder1 symiirorder2
        """,
        "nobody wrote it; compose it of functions that have rules": """
            lombscargle vectorstrength wiener envelope sweep_poly peak_prominences peak_widths
            czt_points whittaker_henderson
        """,
        "nobody wrote it; lfilter and lfilter_zi have rules": "lfiltic sosfilt_zi",
        "it is abs(stft)**2, scaled; stft has the rule": "spectrogram",
        "it makes a window of a length that is a whole number": "get_window",
        "chainrules_tape.scipy.signal has a function of this name that is differentiated": (
            "bilinear"
        ),
        "it is a class of warnings": "BadCoefficients",
    }
)
