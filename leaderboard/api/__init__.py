"""The HTTP API: runs come in from other machines, runs, scores and labelled sessions go out."""
