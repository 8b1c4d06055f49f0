"""Text for pages and terminals: hidden characters, escaping, tables, Markdown."""
