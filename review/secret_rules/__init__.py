"""Rules that find secrets in texts: one module for each kind."""
