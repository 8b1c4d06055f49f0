"""The runs of a scheduled night: models that are due, money, questions."""
