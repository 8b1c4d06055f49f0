"""The prompt of a suite with ``suite.toml``: the usual format of replies, in the suite's words."""

from typing import Final

from records.suites import canary
from records.suites.suite_config import SuiteConfig
from runner.answers import reply_format
from runner.answers.suite_rules import SuiteFileRules

_EXAMPLE: Final = """\
````
# Files

## {path}

```
...
```
````
"""

_FILE_RULES: Final = """\
# File rules

{required}- Files at other paths are ignored; `*` is any text without a slash, `**` any folders:
{paths}
- An answer fails as a whole if it holds
{refused}."""


def frame_suite_task(config: SuiteConfig, guidelines: str | None, task: str) -> str:
    """Return the user message for a task of a suite, without the canary."""
    stripped_guidelines = canary.strip_canary(guidelines or "").strip()
    example = _EXAMPLE.format(path=_name_example(config))
    standards = config.standards.strip()
    sections = [
        f"{reply_format.OPENING}{example}\n{reply_format.CLOSING}",
        *([f"# Standards\n\n{standards}"] if standards else []),
        *([f"# Guidelines\n\n{stripped_guidelines}"] if stripped_guidelines else []),
        _state_rules(config),
        f"# Task\n\n{canary.strip_canary(task).strip()}\n",
    ]
    return "\n\n".join(sections)


def _state_rules(config: SuiteConfig) -> str:
    answers = config.answers
    names = ", ".join(f"`{path}`" for path in answers.required)
    return _FILE_RULES.format(
        required=f"- These files are required: {names}.\n" if names else "",
        paths="\n".join(f"  - `{pattern}`" for pattern in answers.paths),
        refused=";\n".join(
            f"  - {stated}" for stated in SuiteFileRules(answers).list_refusal_causes()
        ),
    )


def _name_example(config: SuiteConfig) -> str:
    """Return a path for the example of the format: one that an answer may have."""
    named = (*config.answers.required, *config.answers.paths)
    plain = next((path for path in named if "*" not in path), None)
    return plain or named[0].replace("**", "folder").replace("*", "example")
