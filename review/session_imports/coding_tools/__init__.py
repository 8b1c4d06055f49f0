"""Adapters of coding tools: Claude Code, Codex, Copilot, Cursor, Gemini CLI, OpenCode, aider."""
