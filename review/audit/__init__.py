"""Audits of the graders: which attempts people are to judge, and how far they are."""
