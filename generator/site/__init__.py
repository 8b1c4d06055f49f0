"""One module per kind of page: each gathers what its template is given."""
