"""Archives of attempts: their format, and their comparison with records."""
