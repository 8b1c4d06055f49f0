"""Records and settings of suites: benchmark versions, evals, time limits."""
