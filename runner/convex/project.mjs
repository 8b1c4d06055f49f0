// A bundled project, loaded and checked the way a deploy checks it: schema, functions, HTTP
// routes, crons.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { checkCrons } from "./crons.mjs";
import { DeployError, UnsupportedError } from "./errors.mjs";

const SPECIAL = new Set(["schema", "crons", "http", "convex.config", "auth.config"]);
const FUNCTION_NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * @typedef {{ path: string, module: string, name: string, kind: "query" | "mutation" | "action",
 *   internal: boolean, node: boolean, args: object, returns: object | null }} FunctionSpec
 */

export class Project {
  /** The schema definition, or undefined where there is none. */
  schema;
  /** @type {Map<string, FunctionSpec>} by path, such as `messages:list` */
  functions = new Map();
  /** The router of http.ts, or null. */
  router = null;
  /** @type {import("./crons.mjs").CronSpec[]} */
  crons = [];
  /** What the emulator imports functions from. */
  modules = { "./convex/_generated/api.js": async () => ({}) };

  /**
   * @param {Awaited<ReturnType<import("./bundle.mjs").bundleProject>>} built
   * @returns {Promise<Project>}
   */
  static async load(built) {
    const project = new Project();
    for (const source of built) await project.#add(source);
    checkCrons(project);
    return project;
  }

  async #add(source) {
    const exports = await load(source);
    this.modules[`./convex/${source.module}.js`] = async () => exports;
    if (source.module === "convex.config") throw new UnsupportedError("components (convex.config)");
    if (source.node && SPECIAL.has(source.module)) {
      throw new DeployError(`${source.module}.ts cannot have the "use node" directive`);
    }
    if (source.module === "schema") this.schema = checkSchema(exports.default);
    else if (source.module === "crons") this.crons = readCrons(exports.default);
    else if (source.module === "http") this.router = checkRouter(exports.default);
    if (source.module !== "schema") this.#addFunctions(source, exports);
  }

  #addFunctions(source, exports) {
    for (const [name, value] of Object.entries(exports)) {
      const kind = kindOf(value);
      if (!kind) continue;
      const path = name === "default" ? `${source.module}:default` : `${source.module}:${name}`;
      if (kind === "http") continue;
      if (source.node && kind !== "action") {
        const what = kind[0].toUpperCase() + kind.slice(1);
        throw new DeployError(
          `\`${name}\` defined in \`${source.module}.js\` is a ${what} function. Only actions can be ` +
            "defined in Node.js. See https://docs.convex.dev/functions/actions for more details.",
        );
      }
      if (!FUNCTION_NAME.test(name)) throw new DeployError(`${path} is not a valid function name`);
      this.functions.set(path, specOf(path, source, name, kind, value));
    }
  }
}

async function load({ module, built }) {
  // The digest in the address keeps two loads of different bundles at one path apart.
  const digest = createHash("sha256").update(readFileSync(built)).digest("hex").slice(0, 12);
  try {
    return await import(`${pathToFileURL(built)}?${digest}`);
  } catch (error) {
    throw new DeployError(`Failed to analyze ${module}.js: ${error?.stack ?? error}`);
  }
}

function kindOf(value) {
  if (value === null || (typeof value !== "function" && typeof value !== "object")) return null;
  if (value.isQuery) return "query";
  if (value.isMutation) return "mutation";
  if (value.isAction) return "action";
  return value.isHttp ? "http" : null;
}

function specOf(path, source, name, kind, value) {
  try {
    const args = JSON.parse(value.exportArgs());
    if (args.type !== "object" && args.type !== "any") {
      throw new Error("Args validator must be an object or any");
    }
    return {
      path,
      module: source.module,
      name,
      kind,
      internal: Boolean(value.isInternal),
      node: source.node,
      args,
      returns: JSON.parse(value.exportReturns()),
    };
  } catch (error) {
    throw new DeployError(`Invalid validators of ${path}: ${error.message}`);
  }
}

function checkSchema(schema) {
  if (schema === undefined || typeof schema?.export !== "function") {
    throw new DeployError("schema.ts must export default defineSchema(...)");
  }
  let exported;
  try {
    exported = JSON.parse(schema.export());
  } catch (error) {
    throw new DeployError(`schema.ts: ${error.message}`);
  }
  const names = new Set(exported.tables.map((table) => table.tableName));
  for (const table of exported.tables) checkTable(table, names);
  return schema;
}

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MOST_INDEX_FIELDS = 16;

function checkTable(table, names) {
  const { tableName } = table;
  if (!TABLE_NAME.test(tableName)) throw new DeployError(`Invalid table name "${tableName}"`);
  const all = [...table.indexes, ...table.searchIndexes, ...(table.vectorIndexes ?? [])];
  const seen = new Set();
  for (const { indexDescriptor } of all) {
    const place = `table "${tableName}", index "${indexDescriptor}"`;
    if (seen.has(indexDescriptor)) throw new DeployError(`${place} is defined twice`);
    if (!TABLE_NAME.test(indexDescriptor) || ["by_id", "by_creation_time"].includes(indexDescriptor)) {
      throw new DeployError(`${place}: the name is reserved or invalid`);
    }
    seen.add(indexDescriptor);
  }
  for (const { indexDescriptor, fields } of table.indexes) {
    const place = `table "${tableName}", index "${indexDescriptor}"`;
    if (fields.length === 0) throw new DeployError(`${place} has no fields`);
    if (fields.length > MOST_INDEX_FIELDS) throw new DeployError(`${place} has too many fields`);
    if (new Set(fields).size !== fields.length) throw new DeployError(`${place} repeats a field`);
    for (const field of fields) {
      if (field === "_creationTime" || field === "_id") {
        throw new DeployError(`${place}: ${field} is part of every index by itself`);
      }
      if (!hasField(table.documentType, field)) {
        throw new DeployError(
          `In ${place} the field "${field}" is not in the table's validator`,
        );
      }
    }
  }
  checkReferences(table.documentType, tableName, names);
}

/** Says whether a document of `validator` can have the field at the dotted `path`. */
function hasField(validator, path) {
  if (!validator || validator.type === "any" || validator.type === "record") return true;
  if (validator.type === "union") return validator.value.some((one) => hasField(one, path));
  if (validator.type !== "object") return false;
  const [first, ...rest] = path.split(".");
  const field = validator.value[first];
  return Boolean(field) && (rest.length === 0 || hasField(field.fieldType, rest.join(".")));
}

function checkReferences(validator, tableName, names) {
  if (!validator) return;
  switch (validator.type) {
    case "id": {
      const known = names.has(validator.tableName) || validator.tableName.startsWith("_");
      if (known) return;
      throw new DeployError(
        `In table "${tableName}" a v.id names the table "${validator.tableName}", which the schema does not define`,
      );
    }
    case "array":
      return checkReferences(validator.value, tableName, names);
    case "union":
      return validator.value.forEach((one) => checkReferences(one, tableName, names));
    case "object":
      return Object.values(validator.value).forEach(({ fieldType }) =>
        checkReferences(fieldType, tableName, names),
      );
    case "record":
      return checkReferences(validator.values?.fieldType, tableName, names);
    default:
  }
}

function checkRouter(router) {
  if (!router?.isRouter) {
    throw new DeployError("http.ts must export default an httpRouter()");
  }
  return router;
}

function readCrons(crons) {
  if (!crons?.isCrons) throw new DeployError("crons.ts must export default cronJobs()");
  const exported = JSON.parse(crons.export());
  return Object.entries(exported).map(([identifier, spec]) => ({
    identifier,
    path: spec.name,
    args: spec.args[0] ?? {},
    schedule: spec.schedule,
  }));
}
