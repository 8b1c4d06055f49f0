"""Queues of requests: how many run at once per provider, and which is next."""
