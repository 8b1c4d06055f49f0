"""Sessions as the files that other programs load, one module for each consumer."""
