"""Sessions that other programs recorded, one module for each program."""
