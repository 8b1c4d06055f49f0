// Reads paths from standard input, a line each; prints as JSON which of them each check of JavaScript
// leaves out. Paths are relative to the root of the repository, where it runs.
import { text } from "node:stream/consumers";
import { resolve } from "node:path";

import { ESLint } from "../../evals/node_modules/eslint/lib/api.js";
import { getFileInfo } from "prettier";
import ts from "../../evals/node_modules/typescript/lib/typescript.js";

const paths = (await text(process.stdin)).split("\n").filter(Boolean);
const scripts = paths.filter((path) => !path.endsWith(".css"));

const eslint = new ESLint();
const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const typed = new Set(ts.parseJsonConfigFileContent(config, ts.sys, process.cwd()).fileNames);

const unlinted = [];
for (const path of scripts) {
  const rules = (await eslint.calculateConfigForFile(path))?.rules ?? {};
  if (!("no-undef" in rules && "no-shadow" in rules)) unlinted.push(path);
}
const unformatted = [];
for (const path of paths) {
  const { ignored, inferredParser } = await getFileInfo(path, { ignorePath: ".prettierignore" });
  if (ignored || inferredParser === null) unformatted.push(path);
}
const untyped = scripts.filter((path) => !typed.has(resolve(path)));
process.stdout.write(JSON.stringify({ unlinted, unformatted, untyped }));
