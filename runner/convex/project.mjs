// A bundled project, loaded and checked the way a deploy checks it: schema, functions, HTTP
// routes, crons.

import { checkCrons, readCrons } from "./crons.mjs";
import { DeployError, UnsupportedError } from "./errors.mjs";
import { Execution } from "./execution.mjs";
import { checkSchema } from "./schema.mjs";

const NOT_FUNCTIONS = new Set(["schema", "auth.config", "convex.config"]);
const FUNCTION_NAME = /^[A-Za-z_$][\w$]*$/;
const NOBODY = { kind: "none" };
const NAMES = { query: "Query", mutation: "Mutation", action: "Action", http: "HttpAction" };

/**
 * @typedef {{ path: string, module: string, name: string, kind: "query" | "mutation" | "action",
 *   internal: boolean, node: boolean, args: object, returns: object | null }} FunctionSpec
 *   path is as callers say it: `messages:list`
 */

export class Project {
  /** @type {ReturnType<typeof checkSchema> | null} */
  schema = null;
  /** The definition itself, of which the emulator is made. */
  schemaDefinition = undefined;
  /** @type {Map<string, FunctionSpec>} by path */
  functions = new Map();
  /** @type {{ path: string, method: string }[]} */
  routes = [];
  /** @type {import("./crons.mjs").CronSpec[]} */
  crons = [];
  /** The configuration of who signs users in, or null. */
  auth = null;
  modules;

  /**
   * Loads every module, and checks it.
   *
   * @param {import("./bundle.mjs").Module[]} modules
   * @param {import("./runtime.mjs").Runtime} runtime
   */
  static async load(modules, runtime) {
    const project = new Project();
    project.modules = new Map(modules.map((module) => [module.name, module]));
    const execution = new Execution({ kind: "http", path: "deploy", identity: NOBODY });
    const started = {};
    await execution.run(async () => {
      for (const module of modules) {
        started[module.node] ??= runtime.start(module.node);
        await project.#add(module, await load(started[module.node], module, runtime));
      }
    });
    checkCrons(project);
    return project;
  }

  async #add(module, exports) {
    switch (module.name) {
      case "convex.config":
        return checkComponents(exports.default);
      case "schema":
        this.schema = checkSchema(exports.default);
        this.schemaDefinition = exports.default;
        return undefined;
      case "auth.config":
        this.auth = exports.default ?? null;
        return undefined;
      case "crons":
        this.crons = readCrons(exports.default);
        break;
      case "http":
        this.routes = checkRouter(exports.default);
        break;
      default:
    }
    this.#addFunctions(module, exports);
    return undefined;
  }

  #addFunctions(module, exports) {
    if (NOT_FUNCTIONS.has(module.name)) return;
    for (const [name, value] of Object.entries(exports)) {
      const kind = kindOf(value);
      if (!kind) continue;
      if (module.node && kind !== "action") {
        throw new DeployError(
          `\`${name}\` defined in \`${module.name}.js\` is a ${NAMES[kind]} function. Only actions can ` +
            "be defined in Node.js. See https://docs.convex.dev/functions/actions for more details.",
        );
      }
      if (kind === "http") continue;
      if (!FUNCTION_NAME.test(name)) {
        throw new DeployError(`Invalid function name: ${module.name}.js:${name}`);
      }
      const path = `${module.name}:${name}`;
      this.functions.set(path, specOf(path, module, name, kind, value));
    }
  }
}

async function load(started, { name }, runtime) {
  try {
    return await started[name]();
  } catch (error) {
    const frames = runtime.frames(error).join("\n");
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new DeployError(`Failed to analyze ${name}.js: Uncaught ${said}\n${frames}`.trimEnd());
  }
}

function kindOf(value) {
  if (value === null || typeof value !== "function") return null;
  if (value.isQuery) return "query";
  if (value.isMutation) return "mutation";
  if (value.isAction) return "action";
  return value.isHttp ? "http" : null;
}

function specOf(path, module, name, kind, value) {
  const read = (what) => {
    try {
      return JSON.parse(value[what]());
    } catch (error) {
      throw new DeployError(`Failed to analyze ${module.name}.js: ${name}.${what}(): ${error.message}`);
    }
  };
  const args = read("exportArgs");
  if (args.type !== "object" && args.type !== "any") {
    throw new DeployError(
      `Invalid JSON returned from ${module.name}.js:${name}.exportArgs(): ` +
        "Args validator must be an object or any",
    );
  }
  return {
    path,
    module: module.name,
    name,
    kind,
    internal: Boolean(value.isInternal),
    node: module.node,
    args,
    returns: read("exportReturns"),
  };
}

function checkComponents(app) {
  // Without components an app definition changes nothing.
  const installed = app?._childComponents ?? [];
  if (installed.length > 0) throw new UnsupportedError("components (convex.config.ts)");
}

function checkRouter(router) {
  if (!router) {
    throw new DeployError("http.js is missing a default export: export default an httpRouter().");
  }
  if (!router.isRouter) {
    throw new DeployError("The default export of http.js is not a Router: export default an httpRouter().");
  }
  return router.getRoutes().map(([path, method]) => ({ path, method }));
}
