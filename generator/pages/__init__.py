"""Pages: one module for each, which gathers the context of the template of the same name."""
