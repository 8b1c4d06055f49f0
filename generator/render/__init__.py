"""The rendering of contexts to bytes: templates, filters, Markdown, assets."""
