"""What changed between two runs, or between two states of `data/`, in words, JSON and HTML."""
