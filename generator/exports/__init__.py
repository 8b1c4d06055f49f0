"""What machines read of the site: tables as JSON and CSV, feed, sitemap, badges, cards."""
