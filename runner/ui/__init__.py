"""Renders the React components that a model wrote, for graders to look at and work with."""

from runner.ui.errors import UiBroken, UiFailed
from runner.ui.page import Page
from runner.ui.session import Setting, Ui

__all__ = ["Page", "Setting", "Ui", "UiBroken", "UiFailed"]
