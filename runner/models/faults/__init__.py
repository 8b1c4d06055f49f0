"""Failed requests: their causes, and whether more requests to a provider make sense."""
