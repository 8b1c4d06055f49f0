"""One module per kind of page: each gathers the context of its template."""
