"""Backends, which deploy and serve answers, and the client of a deployment."""
