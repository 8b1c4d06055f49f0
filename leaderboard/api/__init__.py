"""The HTTP API, which receives runs of other machines and returns runs, scores and sessions."""
