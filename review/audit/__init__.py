"""Audits of the graders: the attempts that people are to judge, and the progress."""
