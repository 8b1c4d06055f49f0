"""Rows and cells of the largest tables, put together as plain text.

A large build has hundreds of thousands of them, and a template takes ten times as long for each.
What types keep free of markup (names of evals and runs, outcomes, steps, numbers) is taken as it
is, all other text is escaped. What is around the rows stands in templates.
"""
