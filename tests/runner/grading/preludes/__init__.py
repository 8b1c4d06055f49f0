"""A corpus of preludes: what an answer may bring along to pass, or to have no verdict, unearned."""
