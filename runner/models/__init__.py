"""Requests to models, repeated until there is a reply or a fault that no request can change."""
