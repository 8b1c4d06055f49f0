"""Transcripts as the desk shows them: messages, prose, search and differences."""
