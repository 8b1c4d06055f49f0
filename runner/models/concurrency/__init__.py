"""Queues of requests: how many each provider is sent at once, and whose turn is next."""
