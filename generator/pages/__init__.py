"""Pages: a module for each page, which gathers the context of the template of the same name."""
