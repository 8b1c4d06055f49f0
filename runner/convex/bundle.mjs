// Bundles a Convex project the way its own deploy does: files for the default runtime with the
// platform "browser", files that say "use node" with the platform "node".

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";

import * as esbuild from "esbuild";

import { DeployError } from "./errors.mjs";

const SOURCE = /\.(?:m|c)?(?:j|t)sx?$/;
const USE_NODE = /^\s*(?:(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*["']use node["']/;
const EXPORTS_SOMETHING = /^\s{0,100}(?:import|export)/m;
const REQUIRE_IN_ESM =
  'import { createRequire as __createRequire } from "node:module"; ' +
  "const require = __createRequire(import.meta.url);";

/**
 * A source file of a project.
 *
 * @typedef {{ module: string, file: string, node: boolean }} Source module is "messages" or
 *   "tasks/list", as function paths name it
 */

/**
 * Bundles every function module of the project in `dir` into `out`.
 *
 * @param {string} dir the project; its functions are in `convex/`
 * @param {string} out
 * @returns {Promise<(Source & { built: string })[]>}
 */
export async function bundleProject(dir, out) {
  const root = join(dir, "convex");
  if (!existsSync(root)) throw new DeployError("there is no convex/ folder");
  const sources = [...findSources(root)];
  const [isolate, node] = await Promise.all([
    build(root, join(out, "isolate"), sources.filter((source) => !source.node), "browser"),
    build(root, join(out, "node"), sources.filter((source) => source.node), "node"),
  ]);
  return [...isolate, ...node];
}

/** Yields the files that a deploy takes as function modules, sorted. */
function* findSources(root, folder = root) {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!["_generated", "_deps", "node_modules"].includes(entry.name)) yield* findSources(root, file);
    } else if (entry.isFile() && isModule(entry.name)) {
      const text = readFileSync(file, "utf8");
      if (EXPORTS_SOMETHING.test(text)) {
        const module = relative(root, file).split(sep).join("/").replace(SOURCE, "");
        yield { module, file, node: USE_NODE.test(text) };
      }
    }
  }
}

function isModule(name) {
  if (!SOURCE.test(name) || name.startsWith(".") || name.startsWith("#")) return false;
  const isConfig = ["convex.config", "auth.config"].includes(name.replace(SOURCE, ""));
  return isConfig || basename(name).split(".").length === 2;
}

async function build(root, out, sources, platform) {
  if (sources.length === 0) return [];
  try {
    await esbuild.build({
      entryPoints: sources.map((source) => ({ in: source.file, out: source.module })),
      absWorkingDir: root,
      bundle: true,
      conditions: ["convex", "module"],
      define: { "process.env.NODE_ENV": '"production"' },
      format: "esm",
      jsx: "automatic",
      logLevel: "silent",
      outbase: root,
      outdir: out,
      outExtension: { ".js": ".mjs" },
      platform,
      sourcemap: false,
      splitting: true,
      target: "esnext",
      tsconfigRaw: "{}",
      banner: platform === "node" ? { js: REQUIRE_IN_ESM } : {},
    });
  } catch (error) {
    throw new DeployError(describe(error, root, platform));
  }
  return sources.map((source) => ({ ...source, built: join(out, `${source.module}.mjs`) }));
}

function describe(error, root, platform) {
  if (!Array.isArray(error.errors)) return String(error.message ?? error);
  const lines = error.errors.map(({ text, location }) => {
    if (!location) return text;
    const file = relative(join(root, ".."), join(root, location.file)).split(sep).join("/");
    return `${file}:${location.line}:${location.column}: ${text}`;
  });
  if (platform === "browser" && error.errors.some(({ text }) => /could not resolve "(node:)?[a-z_/]+"/i.test(text))) {
    lines.push(
      'A file that uses Node.js APIs needs the "use node" directive at its top; ' +
        "other packages must be declared in package.json.",
    );
  }
  return lines.join("\n");
}
