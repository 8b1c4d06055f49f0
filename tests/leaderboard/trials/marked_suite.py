"""A suite whose guidelines have marks in their sections, and a provider that needs the marks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.runner.conftest import write_prose_suite

EVALS: Final = 9
KINDS_MARK: Final = "KINDSMARK"
_KINDS: Final = f"- Remember {KINDS_MARK}, and choose the right kind of function, always.\n"
_SHAPES: Final = "- Remember SHAPESMARK, and give every table the right shape, always.\n"
GUIDELINES: Final = (
    f"# Guidelines\n\nBegin.\n\n## Kinds\n\n{3 * _KINDS}\n## Shapes\n\n{4 * _SHAPES}"
)
PASSING: Final = """\
# Files
## package.json
```json
{"name": "answer", "dependencies": {"convex": "^1.17.0"}}
```
## convex/a.ts
```ts
export const a = 1;
```
"""
PROSE: Final = "Prose, no files."


def write_marked_suite(root: Path) -> Path:
    """Write the suite; its evals name the section kinds."""
    write_prose_suite(root, EVALS)
    for config in root.glob("*/*/eval.toml"):
        # The verdict is that of the files alone: nothing is deployed for any of the answers.
        config.write_text(config.read_text().replace('"full"', '"static"'))
    (root / "guidelines.md").write_text(GUIDELINES)
    return root


def make_script_needing_kinds(evals: int, model: str | None = None) -> Mapping[str, object]:
    """Answer every task correctly, but the first ``evals`` only with the mark of kinds.

    ``model`` is the model that needs the mark; None for every model.
    """
    return {
        "rules": [
            {"match": f"<{number}>", "unless": KINDS_MARK, "model": model, "then": {"text": PROSE}}
            for number in range(evals)
        ],
        "default": {"text": PASSING},
    }
