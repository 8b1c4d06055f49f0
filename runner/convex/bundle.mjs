// Bundles a Convex project the way its own deploy does: files for the default runtime with the
// platform "browser", files that say "use node" with the platform "node".
//
// Unlike a real deploy's, each bundle is one script with an entry per module: a script can be run
// anew for every call, in a scope of our making (see runtime.mjs).

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative, resolve, sep } from "node:path";

import * as esbuild from "esbuild";

import { DeployError } from "./errors.mjs";

const SOURCE = /\.(?:m|c)?(?:j|t)sx?$/;
const TYPESCRIPT = /\.tsx?$/;
const USE_NODE = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/|["'][^"'\n]*["'];?)*?["']use node["']/;
const EXPORTS_SOMETHING = /^\s{0,100}(?:import|export)/m;
const MUST_BE_ISOLATE = new Set(["http", "crons", "schema", "auth.config"]);
const CONFIGS = new Set(["convex.config", "auth.config"]);
const SKIPPED_FOLDERS = new Set(["_generated", "node_modules"]);
/** Where the pinned packages stand, wherever the project does. */
const PACKAGES = resolve(import.meta.dirname, "../../node_modules");

/**
 * A module of the project: "messages" or "tasks/list", as function paths name it.
 *
 * @typedef {{ name: string, file: string, node: boolean }} Module
 * @typedef {{ code: string, map: string }} Script
 */

/**
 * Bundles the function modules of the project in `dir`.
 *
 * @param {string} dir the project; its functions are in `convex/`
 * @returns {Promise<{ modules: Module[], isolate: Script, node: Script | null }>}
 */
export async function bundleProject(dir) {
  const root = join(dir, "convex");
  if (!existsSync(root)) throw new DeployError("There is no convex/ folder to deploy.");
  const modules = [...findModules(root)];
  const ofNode = modules.filter((module) => module.node);
  const [isolate, node] = await Promise.all([
    build(root, modules.filter((module) => !module.node), "browser"),
    ofNode.length > 0 ? build(root, ofNode, "node") : null,
  ]);
  await esbuild.stop();
  return { modules, isolate, node };
}

/** Yields the files that a deploy takes as modules, in a fixed order. */
function* findModules(root, folder = root) {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (SKIPPED_FOLDERS.has(entry.name)) continue;
      if (folder === root && entry.name === "_deps") {
        throw new DeployError('"convex/_deps" is reserved for dependencies. Please move your code.');
      }
      yield* findModules(root, file);
    } else if (entry.isFile() && isModule(entry.name)) {
      const text = readFileSync(file, "utf8");
      if (TYPESCRIPT.test(entry.name) && !EXPORTS_SOMETHING.test(text)) continue;
      yield moduleOf(root, file, text);
    }
  }
}

function isModule(name) {
  if (!SOURCE.test(name) || /^[.#]/.test(name) || name.includes(" ")) return false;
  return CONFIGS.has(name.replace(SOURCE, "")) || name.split(".").length === 2;
}

function moduleOf(root, file, text) {
  const path = relative(root, file).split(sep).join("/");
  const name = path.replace(SOURCE, "");
  const node = USE_NODE.test(text);
  if (node && MUST_BE_ISOLATE.has(name)) {
    throw new DeployError(`"use node" directive is not allowed for ${path}.`);
  }
  return { name, file, node };
}

async function build(root, modules, platform) {
  const imports = modules.map(({ name, file }) => {
    return `${JSON.stringify(name)}: () => import(${JSON.stringify(file)}),`;
  });
  try {
    const { outputFiles } = await esbuild.build({
      stdin: { contents: `export const modules = {${imports.join("\n")}};`, resolveDir: root },
      absWorkingDir: root,
      bundle: true,
      conditions: ["convex", "module"],
      define: { "process.env.NODE_ENV": '"production"' },
      format: "iife",
      globalName: "project",
      jsx: "automatic",
      keepNames: true,
      logLevel: "silent",
      logOverride: { "unsupported-dynamic-import": "silent" },
      nodePaths: [PACKAGES],
      outdir: join(root, "..", "out"),
      platform,
      plugins: [library(), shims(platform)],
      sourcemap: "external",
      sourcesContent: false,
      target: "esnext",
      tsconfigRaw: "{}",
      write: false,
    });
    const [map, code] = outputFiles.sort((a, b) => (a.path > b.path ? -1 : 1));
    return { code: code.text, map: map.text };
  } catch (error) {
    throw new DeployError(describe(error, root, platform));
  }
}

/**
 * Leaves Convex's own library out of the bundle: it has no state, so all calls share one copy.
 * What does not come from these two entries is bundled like any package.
 */
function library() {
  return {
    name: "library",
    setup(build) {
      build.onResolve({ filter: /^convex\/(server|values)$/ }, ({ path }) => ({
        path,
        namespace: "library",
      }));
      build.onLoad({ filter: /.*/, namespace: "library" }, ({ path }) => ({
        contents: `module.exports = convexLibrary[${JSON.stringify(path)}];`,
      }));
    },
  };
}

/** What the real bundler puts in the place of some imports. */
function shims(platform) {
  return {
    name: "shims",
    setup(build) {
      build.onResolve({ filter: /^server-only$/ }, ({ path }) => ({ path, namespace: "empty" }));
      build.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "" }));
      if (platform !== "browser") return;
      build.onResolve({ filter: /^(node:)?async_hooks$/ }, ({ path }) => ({
        path,
        namespace: "async-hooks",
      }));
      build.onLoad({ filter: /.*/, namespace: "async-hooks" }, () => ({
        contents:
          "export const { AsyncLocalStorage, AsyncResource } = globalThis;" +
          "export default { AsyncLocalStorage, AsyncResource };",
      }));
    },
  };
}

const NODE_HINT =
  'It looks like you are using Node APIs from a file without the "use node" directive.\n' +
  "Split out actions using Node.js APIs like this into a new file only containing actions that " +
  'uses "use node" so these actions will run in a Node.js environment.\n' +
  "For more information see https://docs.convex.dev/functions/runtimes#nodejs-runtime";

function describe(error, root, platform) {
  if (!Array.isArray(error.errors)) throw error;
  const lines = error.errors.map(({ text, location }) => {
    if (!location) return text;
    const file = relative(join(root, ".."), resolve(root, location.file)).split(sep).join("/");
    return `${file}:${location.line}:${location.column}: ${text}`;
  });
  if (platform === "browser" && error.errors.some(({ text }) => importsBuiltin(text))) {
    lines.push(NODE_HINT);
  }
  return lines.join("\n");
}

function importsBuiltin(text) {
  const missing = /^Could not resolve "([^"]+)"/.exec(text);
  return missing !== null && isBuiltin(missing[1]);
}
