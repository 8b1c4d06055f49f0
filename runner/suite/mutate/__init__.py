"""Mutants of references, which show the missing tests of graders: `leaderboard suite mutate`.

Each mutant is a reference with a small fault, and is graded like a model's answer. It is killed if
it fails at any step; a fault that TypeScript or the linter finds needs no test. If a mutant
survives, a test is missing.
"""
