"""The plan of a scheduled night: the models that are due, their questions and their costs."""
