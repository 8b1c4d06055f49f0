"""Records of sessions: labels, opinions, audits, comparisons and datasets."""
