"""Facts of runs that are computed from records: lookup, hosts, carried answers, parameters."""
