"""Transcripts for pages of the desk: messages, search and differences."""
