"""Failed requests: their causes, and the decision whether more requests make sense."""
