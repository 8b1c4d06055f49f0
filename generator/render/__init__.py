"""From a context to bytes: templates, filters, markdown, assets."""
