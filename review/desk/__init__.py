"""The desk: pages under `/review/` on which people judge sessions."""
