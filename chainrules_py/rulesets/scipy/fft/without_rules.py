"""The names of `scipy.fft` that have no rule, each with the reason."""

_BACKENDS = "it chooses who computes transforms, and computes nothing"
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(
        ("set_backend", "skip_backend", "set_global_backend", "register_backend", "set_workers"),
        _BACKENDS,
    ),
    "fhtoffset": (
        "it rounds an offset to the next one without ringing; its slope in between has no rule yet"
    ),
}
