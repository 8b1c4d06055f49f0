"""Failed requests: their causes, and whether a provider is still worth asking."""
