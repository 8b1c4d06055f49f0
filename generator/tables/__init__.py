"""The one table of results: runs, attempts, tests and scores as frames with named columns."""
