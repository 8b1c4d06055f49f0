"""Asks models: one streamed request after another until there is a reply or a settled fault."""
