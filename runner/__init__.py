"""From a suite to a record: prompt, generation, workspace, steps, journal, run."""
