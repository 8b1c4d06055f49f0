"""Grading of answers: the steps, graders and decisions that lead to a verdict."""
