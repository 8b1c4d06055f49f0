"""From data/ to site/: records, scores, pages, rendered files."""
