// The bundles of a Convex project, made as a real deploy makes them: files for the default runtime with the
// platform "browser", files with "use node" with the platform "node".
//
// Unlike in a real deploy, each bundle is a single script with an entry for each module. So it can be run
// again for each call, in a scope that we make (see runtime.mjs).

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

import * as server from "convex/server";
import * as values from "convex/values";

import { DeployError } from "./errors.mjs";
import { whyNoModulePath } from "./identifiers.mjs";

const SOURCE = /\.(?:m|c)?(?:j|t)sx?$/;
const TYPESCRIPT = /\.tsx?$/;
const USE_NODE =
  /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|["'][^"'\n]*["'];?)*?["']use node["']/;
const EXPORTS_SOMETHING = /^\s{0,100}(?:import|export)/m;
const MUST_BE_ISOLATE = new Set(["http", "crons", "schema", "auth.config"]);
const CONFIGS = new Set(["convex.config", "auth.config"]);
/** Modules that are read even if they export nothing. */
const ALWAYS_READ = new Set(["schema", ...CONFIGS]);
const COMPONENT_CONFIG = /^convex\.config\.(?:m|c)?[jt]s$/;
const SKIPPED_FOLDERS = new Set(["_generated", "node_modules"]);
/** The folder of the pinned packages, which does not depend on the project's folder. */
const PACKAGES = resolve(import.meta.dirname, "../../node_modules");
/** The path of esbuild's program. */
const BUNDLER = join(PACKAGES, "@esbuild", `${process.platform}-${process.arch}`, "bin/esbuild");
/**
 * The settings of a real deploy, with two differences. Convex's own library is not in the bundle: it has no
 * state, so all calls share a copy. And tsconfig.json is not read, because models write wrong ones.
 */
const SETTINGS = [
  "--bundle",
  "--conditions=convex,module",
  '--define:process.env.NODE_ENV="production"',
  "--jsx=automatic",
  "--keep-names",
  "--tsconfig-raw={}",
];
/** The settings by which a bundle becomes a script. */
const SCRIPT = [
  "--color=false",
  "--format=iife",
  "--global-name=project",
  "--log-level=error",
  "--sourcemap=external",
  "--sources-content=false",
  "--target=esnext",
];
const LIBRARY = {
  "convex/server": shared("server", server),
  "convex/values": shared("values", values),
  "server-only": "",
};
const ASYNC_HOOKS =
  "export const { AsyncLocalStorage, AsyncResource } = globalThis; " +
  "export default { AsyncLocalStorage, AsyncResource };";
/** The name that the bundler writes for a module of LIBRARY. */
const SHARED = /"<data:text\/javascript,%2F\*(\w+)\*%2F[^>"]*>"/g;
/** The code that the bundler writes for an `import()` of a module in the bundle. */
const DYNAMIC_IMPORT =
  /Promise\.resolve\(\)\.then(?=\(\(\) => (?:\(init_[\w$]+\(\), [\w$]+_exports\)|__toESM\(require_))/g;
/** Replaces that code in the default runtime. Both have the same length, so that source maps stay right. */
const IN_ITS_PLACE = "importWhileItIsRunning";
/** The beginning of the code of our own entry, which follows all other modules. */
const ENTRY = "\n  // <stdin>\n";
/** The code that replaces some imports, as in the real bundler. */
const ALIASES = {
  browser: { ...LIBRARY, async_hooks: ASYNC_HOOKS, "node:async_hooks": ASYNC_HOOKS },
  node: LIBRARY,
};

/**
 * A module of the project. name is as in function paths ("messages", "tasks/list"); definition is 0 for the
 * app, another number for each component; entry is the module's name in the bundle.
 *
 * @typedef {{ name: string, file: string, node: boolean, definition: number, entry: string }} Module
 * @typedef {{ code: string, map: string, folder: string }} Script the paths in map are relative to folder
 */

/**
 * Bundles the function modules of the project in `dir`.
 *
 * @param {string} dir the project; its functions are in `convex/`
 * @param {string} out the folder into which bundles are written
 * @returns {Promise<{ modules: Module[], isolate: Script, node: Script | null }>}
 */
export async function bundleProject(dir, out) {
  const root = join(dir, "convex");
  if (!existsSync(root)) throw new DeployError("There is no convex/ folder to deploy.");
  mkdirSync(out, { recursive: true });
  const modules = [...findModules(root)];
  checkOutputs(modules);
  for (const [index, folder] of (await findComponents(root, out)).entries())
    modules.push(...componentModules(folder, index + 1));
  const ofNode = modules.filter((module) => module.node);
  const others = modules.filter((module) => !module.node);
  const [isolate, node] = await Promise.all([
    build(root, out, others, "browser"),
    ofNode.length > 0 ? build(root, out, ofNode, "node") : null,
  ]);
  return { modules, isolate, node };
}

/**
 * Returns the folders of all components that convex.config.ts imports, directly or by other components.
 *
 * @returns {Promise<string[]>}
 */
async function findComponents(root, out) {
  const own = readdirSync(root).find((name) => COMPONENT_CONFIG.test(name));
  if (own === undefined) return [];
  const metafile = join(out, "components.json");
  const entry = `import ${JSON.stringify(join(root, own))};`;
  await runBundler(root, entry, "browser", join(out, "components.js"), [`--metafile=${metafile}`]);
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8"));
  const files = Object.keys(inputs).map((input) => resolve(root, "..", input));
  const configs = files.filter((file) => COMPONENT_CONFIG.test(basename(file)));
  return configs.map((file) => dirname(file)).filter((folder) => folder !== root);
}

/** Returns the modules of a component's definition. */
function componentModules(folder, definition) {
  const modules = [...findModules(folder)].filter(({ name }) => name !== "auth.config");
  if (modules.some(({ node }) => node)) {
    throw new DeployError(
      '"use node" directive is not supported in components. Remove it from the component at: ' +
        `${folder}.`,
    );
  }
  return modules.map((module) => ({
    ...module,
    definition,
    entry: `${definition}:${module.name}`,
  }));
}

/** Yields the modules of a folder and its inner folders, in a fixed order. */
function* findModules(root, folder = root) {
  const entries = readdirSync(folder, { withFileTypes: true });
  // A folder of a component is not a part of the folder that contains it.
  if (folder !== root && entries.some(({ name }) => COMPONENT_CONFIG.test(name))) return;
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (SKIPPED_FOLDERS.has(entry.name)) continue;
      yield* findModules(root, file);
    } else if (entry.isFile() && isModule(relative(root, file))) {
      const text = readFileSync(file, "utf8");
      const isEmpty = TYPESCRIPT.test(entry.name) && !EXPORTS_SOMETHING.test(text);
      if (isEmpty && !ALWAYS_READ.has(nameOf(root, file))) continue;
      yield moduleOf(root, file, text);
    }
  }
}

function isModule(path) {
  const name = basename(path);
  if (!SOURCE.test(name) || /^[.#]/.test(name) || path.includes(" ")) return false;
  // A schema file in an inner folder is not used.
  if (path !== name && /^schema\.[jt]s$/.test(name)) return false;
  return CONFIGS.has(name.replace(SOURCE, "")) || name.split(".").length === 2;
}

function nameOf(root, file) {
  return relative(root, file).split(sep).join("/").replace(SOURCE, "");
}

/** @throws if the file may not be a module, in the words of Convex's bundler */
function moduleOf(root, file, text) {
  const path = relative(root, file).split(sep).join("/");
  const name = nameOf(root, file);
  if (path.startsWith("_deps/")) {
    throw new DeployError(
      `The path "convex/${path}" is within the "_deps" directory, which is reserved for dependencies. ` +
        "Please move your code to another directory.",
    );
  }
  const why = whyNoModulePath(`${name}.js`);
  if (why !== null) {
    throw new DeployError(
      `InvalidConfig: ${name}.js is not a valid path to a Convex module. ${why}`,
    );
  }
  const node = USE_NODE.test(text);
  if (node && MUST_BE_ISOLATE.has(name)) {
    throw new DeployError(`"use node" directive is not allowed for ${path}.`);
  }
  if (!node && path.startsWith("actions/")) {
    throw new DeployError(
      `${path} is in /actions subfolder but has no "use node"; directive. You can now define actions in ` +
        'any folder and indicate they should run in node by adding "use node" directive. /actions is a ' +
        'deprecated way to choose Node.js environment, and we require "use node" for all files within ' +
        "that folder to avoid unexpected errors during the migration. See " +
        "https://docs.convex.dev/functions/actions for more details",
    );
  }
  return { name, file, node, definition: 0, entry: name };
}

/** Throws if two different files would become the same module, as Convex's bundler does. */
function checkOutputs(modules) {
  const files = new Map();
  for (const { name, file } of modules) {
    const other = files.get(name);
    files.set(name, file);
    if (other === undefined || readFileSync(other, "utf8") === readFileSync(file, "utf8")) continue;
    throw new DeployError(
      `Two output files share the same path but have different contents: out/${name}.js`,
    );
  }
}

async function build(root, out, modules, platform) {
  const imports = modules.map(({ entry, file }) => {
    return `${JSON.stringify(entry)}: () => import(${JSON.stringify(file)}),`;
  });
  const script = join(out, `${platform}.js`);
  const entry = `export const modules = {${imports.join("\n")}};`;
  await runBundler(root, entry, platform, script);
  const code = readFileSync(script, "utf8");
  return {
    code: platform === "browser" ? withCheckedImports(code) : code,
    map: readFileSync(`${script}.map`, "utf8"),
    folder: out,
  };
}

/** Replaces each `import()` outside of our entry by a function of the runtime, which may refuse it. */
function withCheckedImports(code) {
  const entry = code.lastIndexOf(ENTRY);
  return code.slice(0, entry).replace(DYNAMIC_IMPORT, IN_ITS_PLACE) + code.slice(entry);
}

/** Bundles the code of an entry for a platform into a script. Throws if the real deploy would refuse it. */
async function runBundler(root, entry, platform, script, outputs = []) {
  const options = [
    ...SCRIPT,
    ...SETTINGS,
    ...Object.entries(ALIASES[platform]).map(([name, code]) => {
      return `--alias:${name}=data:text/javascript,${encodeURIComponent(code)}`;
    }),
    `--platform=${platform}`,
    ...outputs,
  ];
  let errors = await esbuild([...options, `--outfile=${script}`], root, entry);
  const awaiting = findAwaitAtTheTop(errors);
  if (awaiting !== null && platform === "browser") {
    throw new DeployError(
      `Failed to analyze ${awaiting}: Top-level awaits in source files are unsupported`,
    );
  }
  if (awaiting !== null) errors = await bundleAwaiting(options, root, entry, script);
  if (errors !== "") throw new DeployError(inRealWords(errors, platform));
}

/**
 * Bundles modules that await at their top, and returns the bundler's errors. It writes such a bundle as a module
 * only, in which each of these modules is an asynchronous function, so that the module can become a script.
 */
async function bundleAwaiting(options, root, entry, script) {
  const module = `${script}.mjs`;
  const asModule = ["--format=esm", "--sourcemap=inline", `--outfile=${module}`];
  const errors = await esbuild([...options, ...asModule], root, entry);
  if (errors !== "") return errors;
  return esbuild([module, ...SCRIPT, "--platform=node", `--outfile=${script}`], root);
}

/** Returns the code of a module whose exports are in the scope around a bundle; unused exports are dropped. */
function shared(name, exports) {
  const taken = Object.keys(exports).map(
    (key) => `export const ${key} = /* @__PURE__ */ take("${key}");`,
  );
  return `/*${name}*/const take = (key) => convexLibrary["convex/${name}"][key];${taken.join("")}`;
}

/**
 * Runs esbuild's program, because its JavaScript interface takes more time than a project.
 *
 * @returns {Promise<string>} its errors; empty if there are none
 */
function esbuild(options, root, entry = "") {
  return new Promise((ended, reject) => {
    const env = { NODE_PATH: PACKAGES };
    const bundler = spawn(BUNDLER, options, { cwd: join(root, ".."), env, stdio: "pipe" });
    const errors = [];
    bundler.stderr.on("data", (chunk) => errors.push(chunk));
    bundler.stdout.resume();
    bundler.on("error", reject);
    bundler.on("close", (status, signal) => {
      const text = Buffer.concat(errors).toString();
      // A bundler that was killed has not reported a fault of the model's files.
      if (signal) reject(new Error(`the bundler was ended by ${signal} ${text}`.trimEnd()));
      else ended(status === 0 ? "" : text || `the bundler ended with ${status}`);
    });
    bundler.stdin.end(entry);
  });
}

/** The beginning of the bundler's error about an `await` at the top of a module, which no script may have. */
const AWAIT_AT_THE_TOP = "Top-level await is currently not supported";
/** An error of the bundler: its message, and the file below the project's folder. */
const ERROR = /^\S+ \[ERROR\] (.*)\n(?:\n {4}(.+):\d+:\d+:$)?/gm;

/**
 * Returns the name of a module that awaits at its top; null if the bundler reports none, or also other errors.
 *
 * @param {string} errors
 */
function findAwaitAtTheTop(errors) {
  const faults = [...errors.matchAll(ERROR)];
  if (!faults.every(([, message]) => message.startsWith(AWAIT_AT_THE_TOP))) return null;
  const file = faults[0]?.[2];
  return file === undefined ? null : file.replace(/^convex\//, "").replace(SOURCE, ".js");
}

const NODE_HINT =
  'It looks like you are using Node APIs from a file without the "use node" directive.\n' +
  "Split out actions using Node.js APIs like this into a new file only containing actions that " +
  'uses "use node" so these actions will run in a Node.js environment.\n' +
  "For more information see https://docs.convex.dev/functions/runtimes#nodejs-runtime";

/** Returns the bundler's errors as Convex's command line shows them, with its advice. */
function inRealWords(errors, platform) {
  const text = errors
    .replace(/\n?\d+ errors?\n?$/, "")
    .replace(SHARED, '"node_modules/convex/dist/esm/$1/index.js"')
    .trim();
  const missing = [...text.matchAll(/Could not resolve "([^"]+)"/g)].map((match) => match[1]);
  return platform === "browser" && missing.some(isBuiltin) ? `${text}\n\n${NODE_HINT}` : text;
}
