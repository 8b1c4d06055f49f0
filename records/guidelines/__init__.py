"""The guidelines text: its sections, and the number of tokens of each."""
