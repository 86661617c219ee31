NO_RULE_YET: dict[str, str] = {}
