"""Queues of requests to providers: the number of requests at once, and their order."""
