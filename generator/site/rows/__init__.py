"""Rows and cells of the tables that grow with all attempts and evals, put together as plain text.

They are the attempts of a run, the models at an eval, and the cells of evals by models. A build of
thousands of runs has hundreds of thousands of them, and a template takes about 2 microseconds for
each value that it prints (docs/performance.md). Every other table stands in its template.
Values whose types keep them free of markup (names of evals and runs, outcomes, steps, numbers) stay
as they are, all other text is escaped. The text around the rows stands in templates.
"""
