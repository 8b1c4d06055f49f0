"""Type checking: settings, sources, and TypeScript's language server."""
