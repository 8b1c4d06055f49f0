"""Formats whose rows are sessions: chats, account exports, batches, datasets."""
