"""The work of commands about evals."""
