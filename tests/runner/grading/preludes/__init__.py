"""A corpus of preludes: additions to an answer that try to pass, or have no verdict, unearned."""
