"""Requests to models: sent one after another until there is a reply or a settled fault."""
