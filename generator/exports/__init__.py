"""Exports for machines: tables as JSON and CSV, feed, sitemap, badges, cards."""
