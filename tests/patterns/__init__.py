"""Regular expressions of the product: each must take time in proportion to the text."""
