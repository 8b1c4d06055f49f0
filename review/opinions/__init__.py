"""Opinions of judge models on sessions: rubric, prompts, replies, agreement with people."""
