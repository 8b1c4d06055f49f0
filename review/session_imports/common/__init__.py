"""Parts that all adapters share: source files, fields, drafts, contents of messages."""
