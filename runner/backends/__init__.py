"""Backends that deploy and serve an answer, and the client of a deployment."""
