"""A suite of two small evals, written to a folder for tests that look at suites."""

import json
from pathlib import Path

from runner.answers.prompt import PACKAGES
from tests.support.texts import write_files

GUIDELINES = """\
# Writing

## Function kinds

Queries read.

```md
## not-a-section
```

## Validators, and types

Give every function `args`.
"""

PINS = dict.fromkeys((*PACKAGES, "eslint"), "1.0.0")

CONFIG = """\
title = "Ponds"
concept = "Reading one document"
why = "Every backend does it."
guidelines = ["function-kinds"]
"""

MODULE = """\
import { v } from "convex/values";
import { internalMutation, query } from "./_generated/server";

export const get = query({
  args: { id: v.id("ponds") },
  handler: async (ctx, args) => await ctx.db.get("ponds", args.id),
});

const drain = internalMutation({ args: {}, handler: async () => null });
export { drain };
"""

PUBLIC = """\
-const drain = internalMutation({ args: {}, handler: async () => null });
+const drain = mutation({ args: {}, handler: async () => null });
@@
-import { internalMutation, query } from "./_generated/server";
+import { mutation, query } from "./_generated/server";
"""
"""The lines that a variant changes in MODULE."""


def write_suite(root: Path) -> Path:
    """Write the suite and return its folder."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "guidelines.md").write_text(GUIDELINES)
    (root / "package.json").write_text(json.dumps({"dependencies": PINS}))
    (root / "package-lock.json").write_text("{}")
    (root / "node_modules" / "convex").mkdir(parents=True)
    for name in ("000-fundamentals/000-ponds", "002-queries/007-streams"):
        write_eval(root / name)
    return root


def write_eval(folder: Path) -> None:
    """Write a complete eval with a calibration of each kind."""
    files = {
        "TASK.txt": f"Write {folder.name}.\n",
        "eval.toml": CONFIG,
        "grader.py": '"""What is tested."""\n',
        "answer/package.json": '{ "name": "ponds" }\n',
        "answer/convex/ponds.ts": MODULE,
        "answer/convex/schema.ts": "export default 1;\n",
        "calibration/calibration.toml": (
            '[pass.other]\nreason = "the same"\n\n'
            '[fail.public]\nstep = "tests"\ntests = ["test_kinds"]\nreason = "not internal"\n'
            f"diff.\"convex/ponds.ts\" = '''\n{PUBLIC}'''\n\n"
            '[fail.bare]\nstep = "deploy"\ndelete = ["convex/schema.ts"]\nreason = "no schema"\n'
        ),
        "calibration/pass/other/convex/more.ts": "export {};\n",
    }
    write_files(folder, files)
