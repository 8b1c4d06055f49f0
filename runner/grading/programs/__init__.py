"""Graders that are programs of a suite's author, and the jails in which they and answers run."""
