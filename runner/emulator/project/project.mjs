// A bundled project, which is loaded and checked as by a deploy: schema, functions, HTTP routes, crons.

import { readAuthConfig } from "./auth_config.mjs";
import { readDefinition } from "./definitions.mjs";
import { checkCrons, readCrons } from "../functions/crons.mjs";
import { DeployError } from "../errors.mjs";
import { Execution, NOBODY } from "../functions/execution.mjs";
import { whyNoIdentifier } from "../identifiers.mjs";
import { Thrown } from "../functions/isolate.mjs";
import { KINDS } from "../functions/operations.mjs";
import { checkSchema } from "./schema.mjs";
import { whyNotDeclared } from "./validators.mjs";

const NOT_FUNCTIONS = new Set(["schema", "auth.config", "convex.config"]);

/**
 * @typedef {{ path: string, module: string, entry: string, name: string, kind: "query" | "mutation" | "action",
 *   internal: boolean, node: boolean, args: object, returns: object | null }} FunctionSpec
 *   path is in the form of callers: `messages:list`; entry is the module's name in the bundle
 */

export class Project {
  /** @type {ReturnType<typeof checkSchema> | null} */
  schema = null;
  /** @type {Map<string, FunctionSpec>} by path */
  functions = new Map();
  /** @type {{ path: string, method: string }[]} */
  routes = [];
  /** @type {import("../functions/crons.mjs").CronSpec[]} */
  crons = [];
  /** The configuration of auth.config.ts; null without that file. @type {{ providers: object[] } | null} */
  auth = null;
  modules;
  /** The definition of convex.config.ts; null without that file. @type {ReturnType<typeof readDefinition> | null} */
  definition = null;

  /**
   * Loads the modules of the app, or of a component's definition, and checks them.
   *
   * @param {import("../bundle.mjs").Module[]} modules
   * @param {import("../functions/isolate.mjs").Isolate} isolate
   * @param {import("./places.mjs").Places} places
   */
  static async load(modules, isolate, places) {
    const project = new Project();
    project.modules = new Map(modules.map((module) => [module.name, module]));
    const execution = new Execution({ kind: "loading", path: "deploy", identity: NOBODY });
    await execution.run(async () => {
      for (const module of modules) project.#add(module, await load(module, isolate, places));
    });
    checkCrons(project);
    return project;
  }

  #add(module, { functions, schema, auth, crons, router, routes, definition }) {
    switch (module.name) {
      case "convex.config":
        this.definition = readDefinition(definition, module);
        break;
      case "schema":
        this.schema = checkSchema(schema);
        break;
      case "auth.config":
        this.auth = readAuthConfig(auth);
        break;
      case "crons":
        this.crons = readCrons(crons);
        break;
      case "http":
        checkRouter(router);
        this.routes = routes;
        break;
      default:
    }
    if (!NOT_FUNCTIONS.has(module.name)) this.#addFunctions(module, functions);
  }

  #addFunctions(module, functions) {
    for (const described of functions) {
      const { name, kind } = described;
      if (module.node && kind !== "action") {
        throw new DeployError(
          `\`${name}\` defined in \`${module.name}.js\` is a ${KINDS[kind]} function. Only actions can ` +
            "be defined in Node.js. See https://docs.convex.dev/functions/actions for more details.",
        );
      }
      if (kind === "http") continue;
      if (whyNoIdentifier(name) !== null) {
        throw new DeployError(`Invalid function name: ${module.name}.js:${name}`);
      }
      const path = `${module.name}:${name}`;
      this.functions.set(path, specOf(path, module, described));
    }
  }
}

async function load(module, isolate, places) {
  try {
    return await isolate.load(module);
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    const said = [
      `Failed to analyze ${module.name}.js: Uncaught ${error.message}`,
      ...places.frames(error.frames),
    ];
    throw new DeployError(said.join("\n"));
  }
}

function specOf(path, module, { name, kind, internal, ...described }) {
  const read = (what, told) => {
    try {
      if (told.error) throw told.error;
      return JSON.parse(told.text);
    } catch (error) {
      throw new DeployError(
        `Failed to analyze ${module.name}.js: ${name}.${what}(): ${error.message}`,
      );
    }
  };
  const args = read("exportArgs", described.args);
  const isAllowed = args.type === "object" || args.type === "any";
  const why = isAllowed ? whyNotDeclared(args) : "Args validator must be an object or any";
  if (why !== null) {
    throw new DeployError(
      `Invalid JSON returned from ${module.name}.js:${name}.exportArgs(): ${why}`,
    );
  }
  const returns = read("exportReturns", described.returns);
  const { name: file, node, entry } = module;
  return { path, module: file, entry, name, kind, internal, node, args, returns };
}

/** @param {boolean | null} router true if the default export is a router; null if there is no default export */
function checkRouter(router) {
  if (router) return;
  const missing = "http.js is missing a default export";
  const why = router === null ? missing : "The default export of http.js is not a Router";
  throw new DeployError(`${why}: export default an httpRouter().`);
}
