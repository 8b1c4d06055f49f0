"""The prompt for a model: a system message, and a user message that ends with the task."""

import json
from collections.abc import Mapping
from pathlib import Path

from records.suites import canary
from records.suites.given_app import MARKER
from runner.answers.reply import render_files
from runner.answers.rules import CONVEX_RULES, DATA, SCRIPTS, FileRules, SuiteFileRules
from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.evals.grader_kinds import GraderKind, ProgramGraders
from runner.evals.typescript_suites import find_packages_folder

SYSTEM = (
    "You are a senior engineer who writes backends and clients for Convex in TypeScript. "
    "You answer with the complete files of a project, in exactly the format you are asked for."
)

PACKAGES = tuple(
    """
    convex react react-dom @types/node @types/react @types/react-dom convex-test vitest
    @edge-runtime/vm convex-helpers zod ai @ai-sdk/anthropic @ai-sdk/google @ai-sdk/openai
    @convex-dev/action-retrier @convex-dev/agent @convex-dev/aggregate @convex-dev/crons
    @convex-dev/migrations @convex-dev/presence @convex-dev/rate-limiter @convex-dev/sharded-counter
    @convex-dev/workflow @convex-dev/workpool
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""The packages that the prompt offers; evals/package.json pins their versions."""

_OPENING = """\
# Reply format

Reply with one h1 heading `Files`. Under it, for each file of the project, write an h2 heading with
the file's path, relative to the project, and below it one fenced code block with the file's whole
text:

"""

_CLOSING = """\
Close every block. If a file contains three backticks itself, fence it with more. If a path comes
twice, the last one counts. Text outside of the blocks is not read."""

_REPLY_FORMAT = f"""\
{_OPENING}````
# Files

## package.json

```json
{{ ... }}
```

## convex/example.ts

```ts
...
```
````

{_CLOSING}"""

_STANDARDS = """\
# Coding standards

- Write everything that the task asks for, under exactly the names that it gives: nothing is filled
  in afterwards, so no placeholders and no omissions.
- The project is deployed to a real backend, checked by TypeScript in strict mode and by ESLint for
  mistakes (such as promises that nobody awaits), and its behaviour is tested. All must pass.
- No `any` and no rules switched off to get past the checks. JavaScript is checked as strictly as
  TypeScript, and a `@ts-ignore`, `@ts-expect-error` or `@ts-nocheck` counts as a mistake.
- No tests, no documentation and no example data unless the task asks for them."""

_FILE_RULES = """\
# File rules

- `package.json` is required. These packages are installed, in these versions, and no others can
  be:
{packages}
{places}
- An import names a file or a package by a text that is written out, `import(...)` included.
- An answer fails as a whole if it holds
{refused}."""


_PLACES = """\
- Other files stand under `convex/` (the backend) and, if the task asks for a client, under `src/`.
  Files anywhere else are ignored, as are those of other endings than
  {endings}.
- `convex/_generated/` and every `tsconfig.json` are provided. Import from `convex/_generated/` as
  if it were there; what you write to it is ignored."""

_PLACES_WITH_SETTINGS = """\
- Other files stand under `convex/` (the backend) and, if the task asks for a client, under `src/`.
  There, files of other endings are ignored than
  {endings}.
- Settings of programs that the task asks for stand at the root, such as `vitest.config.ts` or
  `tsconfig.json`; `convex/` may have a `tsconfig.json`, too. Hidden files, and files anywhere else,
  are ignored.
- `convex/_generated/` is provided. Import from it as if it were there; what you write to it is
  ignored."""
"""The places of files in suites in TypeScript."""


_GIVEN = """\
# The given app

The project exists. These are its files; those in `convex/_generated/` are provided. Reply only with
the files that you add or change, each as a whole: all others stay as they are. To delete a file,
reply with its heading and a block that has the single line `{marker}`.
"""
_STEPS = """\
The change is deployed in at most {steps} deploys, one after the other, over the stored documents
and while clients call. Put the files of the first deploy below `step1/`, such as
`step1/convex/schema.ts`, those of the second below `step2/`, and so on: each has only the files
that it adds, changes or deletes after the deploy before. Files anywhere else are ignored.
"""
_OF_WHOLE_PROJECTS = {
    "for each file of the project,": "for each file that you add or change,",
    "`package.json` is required. These packages": "These packages",
}
"""Words of the prompt about whole projects, with those about changes of a given app."""


PromptMessage = dict[str, str]
"""A message to a model, in the form that providers require: its ``role`` and its ``content``."""
_EXAMPLE = """\
````
# Files

## {path}

```
...
```
````
"""

_SUITE_FILE_RULES = """\
# File rules

{required}- Files at other paths are ignored; `*` is any text without a slash, `**` any folders:
{paths}
- An answer fails as a whole if it holds
{refused}."""


def render_prompt(evaluation: Eval, guidelines: str | None) -> tuple[PromptMessage, ...]:
    """Return the messages for a model; ``guidelines`` are left out if they are None.

    Raises:
        InvalidEvalError: the suite's package.json does not pin an offered package.
    """
    suite = evaluation.folder.parent.parent
    given = render_given(evaluation)
    system, user = frame_prompt(evaluation.kind, suite, guidelines, evaluation.task, given)
    return PromptMessage(role="system", content=system), PromptMessage(role="user", content=user)


def render_given(evaluation: Eval) -> str:
    """Return the part of the prompt about the given app, with its files; empty if there is none."""
    files, steps = evaluation.read_given(), evaluation.config.steps
    if not files:
        return ""
    about_steps = f"\n{_STEPS.format(steps=steps)}" if steps else ""
    return f"{_GIVEN.format(marker=MARKER)}{about_steps}{render_files(files)}"


def frame_nothing(suite: Suite) -> tuple[str, str]:
    """Return both messages of a suite as they are around every task, without guidelines.

    Raises:
        InvalidEvalError: the suite's package.json does not pin an offered package.
    """
    return frame_prompt(suite.kind, suite.root, None, "")


def frame_prompt(
    kind: GraderKind, suite: Path, guidelines: str | None, task: str, given: str = ""
) -> tuple[str, str]:
    """Return the texts of the system message and of the user message, without the canary.

    ``given`` is the part about the app that answers change.
    """
    guidelines = None if guidelines is None else canary.strip_canary(guidelines).strip()
    if isinstance(kind, ProgramGraders):
        system, standards = kind.config.system_prompt, kind.config.standards.strip()
        standards = f"# Standards\n\n{standards}" if standards else ""
        guidelines = guidelines or None
        answers = kind.config.answers
        # The example has a path that an answer may have.
        named = (*answers.required, *answers.paths)
        plain = next((path for path in named if "*" not in path), None)
        example = plain or named[0].replace("**", "folder").replace("*", "example")
        reply_format = f"{_OPENING}{_EXAMPLE.format(path=example)}\n{_CLOSING}"
        required = ", ".join(f"`{path}`" for path in answers.required)
        file_rules = _SUITE_FILE_RULES.format(
            required=f"- These files are required: {required}.\n" if required else "",
            paths="\n".join(f"  - `{pattern}`" for pattern in answers.paths),
            refused=_list_refused(SuiteFileRules(answers)),
        )
    else:
        system, standards, reply_format = SYSTEM, _STANDARDS, _REPLY_FORMAT
        pins = read_offered_packages(suite)
        endings = ", ".join(f"`{ending}`" for ending in sorted(SCRIPTS | DATA))
        file_rules = _FILE_RULES.format(
            packages="\n".join(f"  - {name} {version}" for name, version in pins.items()),
            # Answers to suites of others may have files of the root (see rules.py).
            places=(_PLACES_WITH_SETTINGS if kind.is_of_others else _PLACES).format(
                endings=endings
            ),
            refused=_list_refused(CONVEX_RULES),
        )
        for about_projects, about_changes in _OF_WHOLE_PROJECTS.items() if given else ():
            reply_format = reply_format.replace(about_projects, about_changes)
            file_rules = file_rules.replace(about_projects, about_changes)
    sections = (
        reply_format,
        standards,
        "" if guidelines is None else f"# Guidelines\n\n{guidelines}",
        file_rules,
        given.strip(),
        f"# Task\n\n{canary.strip_canary(task).strip()}\n",
    )
    return system, "\n\n".join(filter(None, sections))


def _list_refused(rules: FileRules) -> str:
    return ";\n".join(f"  - {stated}" for stated in rules.list_refusal_causes())


def read_offered_packages(suite: Path) -> Mapping[str, str]:
    """Return the offered packages with the versions that the suite pins.

    Raises:
        InvalidEvalError: the suite's package.json is missing or invalid, or lacks a package.
    """
    path = find_packages_folder(suite) / "package.json"
    try:
        pins: Mapping[str, str] = json.loads(path.read_bytes())["dependencies"]
        return {name: pins[name] for name in PACKAGES}
    except FileNotFoundError as error:
        raise InvalidEvalError(f"{path}: missing: it pins the packages for answers") from error
    except (ValueError, TypeError) as error:
        raise InvalidEvalError(f"{path}: is not a package.json: {error}") from error
    except KeyError as error:
        raise InvalidEvalError(f"{path}: dependencies: {error} is not pinned") from error
