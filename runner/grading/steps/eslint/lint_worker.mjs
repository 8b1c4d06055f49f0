// The ESLint worker: one JSON request a line on stdin, one JSON reply a line on stdout.
//
//   {"id": 7, "files": {"convex/tasks.ts": "...", ...}}
//   {"id": 7, "problems": [{"path", "line", "column", "rule", "message", "fatal"}]}
//
// The worker is jailed and serves many requests, so files come by the pipe. They are written to the
// jail's own /tmp, where TypeScript and rules that follow imports can read them.
//
// All rules check all files, also rules that need types. The declarations of packages and of the language
// never change, so they are parsed and bound once for all requests: workers start from a snapshot of this
// program's memory (snapshot.mjs), which has them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { startupSnapshot } from "node:v8";
import convex from "@convex-dev/eslint-plugin";
import { ESLint } from "eslint";
import ts from "typescript";
import tseslint from "typescript-eslint";

import { rules as answerRules } from "./lint_answers.mjs";

/** @type {import("eslint").Linter.RulesRecord} */
const RULES = {
  // If a promise is not awaited, its work is lost when the Convex function returns.
  "@typescript-eslint/no-floating-promises": "error",
  // A promise as a condition is always true; a spread promise has no entries.
  "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
  // Functions of an API that Convex no longer documents, and functions that accept any arguments.
  "@convex-dev/no-old-registered-function-syntax": "error",
  "@convex-dev/require-args-validator": ["error", { ignoreUnusedArguments: true }],
  // In a circle of imports the schema is undefined.
  "@convex-dev/no-schema-import-cycle": "error",
  // With comments that switch the type checker off, the answer could decide its own verdict.
  "answers/no-ts-comment": "error",
  // No check has seen code that is imported, but not from a file or a package.
  "answers/plain-imports": "error",
  // No check has seen code that is made while the answer runs.
  "answers/no-code-in-texts": "error",
  // ESLint's own rules for code that cannot do what its author meant.
  "constructor-super": "error",
  "for-direction": "error",
  "getter-return": "error",
  "no-async-promise-executor": "error",
  "no-compare-neg-zero": "error",
  "no-cond-assign": "error",
  "no-constant-binary-expression": "error",
  "no-dupe-else-if": "error",
  "no-dupe-keys": "error",
  "no-duplicate-case": "error",
  "no-loss-of-precision": "error",
  "no-self-assign": "error",
  "no-self-compare": "error",
  "no-sparse-arrays": "error",
  "no-unreachable": "error",
  "no-unsafe-finally": "error",
  "no-unsafe-negation": "error",
  "no-unsafe-optional-chaining": "error",
  "use-isnan": "error",
  "valid-typeof": "error",
};

const COMPILER_OPTIONS = {
  target: ts.ScriptTarget.ESNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.ReactJSX,
  types: ["node"],
  allowJs: true,
  strict: true,
  skipLibCheck: true,
  esModuleInterop: true,
  isolatedModules: true,
  resolveJsonModule: true,
  noEmit: true,
};

const MOST_PROBLEMS = 200;
/** Settings of other programs, such as vitest.config.ts; answers to some suites have them. */
const SETTINGS = /^[^/]+\.(?:config|workspace)\.[cm]?[jt]s$/;
const LINTED = /\.(?:[cm]?ts|tsx|[cm]?js|jsx)$/;
/** The folder of the files that we generate. */
const GENERATED = /^convex\/_generated\//;
/** The folder of the packages that the project imports. */
const packages = process.argv[2] ?? "";

/** The folder of this process, and the project's folder in it. */
let root = "";
let project = "";

/** TypeScript's host for Node has all optional methods. */
const host = /** @type {Required<ts.CompilerHost>} */ (ts.createCompilerHost(COMPILER_OPTIONS));
host.getCurrentDirectory = () => project;
host.getDefaultLibLocation = () => path.join(packages, "typescript/lib");
for (const method of ["getSourceFile", "fileExists", "directoryExists", "readFile", "realpath"])
  host[method] = lastingOutsideProject(host[method].bind(host));

function lastingOutsideProject(ask) {
  const answers = new Map();
  return (name, ...rest) => {
    if (name === root || name.startsWith(`${root}/`)) return ask(name, ...rest);
    if (!answers.has(name)) answers.set(name, ask(name, ...rest));
    return answers.get(name);
  };
}

function write(files) {
  rmSync(project, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    const target = path.join(project, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

function linter(program) {
  return new ESLint({
    cwd: project,
    overrideConfigFile: true,
    ignore: false,
    baseConfig: [
      {
        files: ["**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx}"],
        languageOptions: {
          parser: tseslint.parser,
          parserOptions: { programs: [program], ecmaFeatures: { jsx: true } },
        },
        // A comment in the code under test must not switch a rule off.
        linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "off" },
        plugins: {
          // Its types are those of an older ESLint.
          "@convex-dev": /** @type {any} */ (convex),
          "@typescript-eslint": tseslint.plugin,
          answers: { rules: answerRules },
        },
        rules: RULES,
      },
    ],
  });
}

async function lint(files) {
  write(files);
  const scripts = Object.keys(files)
    .filter((name) => LINTED.test(name) && !SETTINGS.test(name))
    .sort();
  const rootNames = scripts.map((name) => path.join(project, name));
  const eslint = linter(ts.createProgram({ rootNames, options: COMPILER_OPTIONS, host }));
  const problems = [];
  for (const name of scripts.filter((script) => !GENERATED.test(script))) {
    const [result] = await eslint.lintText(files[name], { filePath: path.join(project, name) });
    problems.push(...(result?.messages ?? []).map((message) => problem(name, message)));
  }
  return problems.slice(0, MOST_PROBLEMS);
}

/**
 * @param {string} name of the file
 * @param {import("eslint").Linter.LintMessage} message
 */
function problem(name, { line, column, ruleId, message, fatal }) {
  return {
    path: name,
    line: line ?? 1,
    column: column ?? 1,
    rule: ruleId ?? null,
    message: message.replaceAll(`${project}/`, ""),
    fatal: fatal ?? false,
  };
}

async function reply(line) {
  const { id, files } = JSON.parse(line);
  try {
    return { id, problems: await lint(files) };
  } catch (error) {
    return { id, crashed: String(error?.stack ?? error) };
  }
}

function makeRoot() {
  root = mkdtempSync(path.join(tmpdir(), "lint-"));
  project = path.join(root, "project");
  // Outside a jail, imports of the project do not find the packages at the root of the file system.
  if (path.dirname(packages) !== "/") symlinkSync(packages, path.join(root, "node_modules"));
}

function removeRoot() {
  rmSync(root, { recursive: true, force: true });
}

/** Lints a small project, so that the declarations that all answers need are loaded and compiled. */
async function warmUp() {
  makeRoot();
  await lint({
    "convex/schema.ts": `
      import { defineSchema, defineTable } from "convex/server";
      import { v } from "convex/values";
      export default defineSchema({ items: defineTable({ n: v.number() }).index("by_n", ["n"]) });`,
    "convex/items.ts": `
      import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
      import { v } from "convex/values";
      export const list = query({ args: {}, handler: (ctx) => ctx.db.query("items").take(10) });
      export const add = mutation({
        args: { n: v.number() },
        handler: async (ctx, args) => { await ctx.db.insert("items", args); },
      });`,
  });
  removeRoot();
}

async function serve() {
  makeRoot();
  process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await reply(line))}\n`);
  }
  removeRoot();
}

async function start() {
  await warmUp();
  if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(serve);
  else await serve();
}

void start();
