// Descriptions for the backend, in JSON: of a module's exports, and of a thrown error. Model code can change
// them, so the backend checks them.

import { StopError } from "./calls.mjs";

/** Describes a module's exports: its functions, and the contents of modules with special names. */
export function describeModule(name, exports) {
  /** @type {{ functions: object[], [part: string]: unknown }} */
  const described = { functions: [] };
  for (const [key, value] of Object.entries(exports)) {
    const kind = kindOf(value);
    if (kind) described.functions.push(describeFunction(key, kind, value));
  }
  const found = exports.default;
  switch (name) {
    case "convex.config":
      described.definition = describeDefinition(found);
      break;
    case "schema":
      described.schema = found === undefined || found === null ? null : describeSchema(found);
      break;
    case "auth.config":
      described.auth = JSON.stringify(found ?? null);
      break;
    case "crons":
      described.crons = found?.isCrons ? found.export() : null;
      break;
    case "http":
      described.router = found ? Boolean(found.isRouter) : null;
      described.routes = found?.isRouter
        ? found.getRoutes().map(([path, method]) => ({ path, method }))
        : [];
      break;
    default:
  }
  return described;
}

function describeSchema(schema) {
  return typeof schema.export === "function"
    ? textOrError(() => schema.export())
    : { isForeign: true };
}

/** Describes the definition of an app or component; null if the export is no definition. */
function describeDefinition(found) {
  if (typeof found?.export !== "function") return null;
  const { componentDefinitionPath: tag = null } = found;
  return { tag, exported: textOrError(() => JSON.stringify(found.export())) };
}

function describeFunction(name, kind, value) {
  if (kind === "http") return { name, kind };
  const internal = Boolean(value.isInternal);
  const args = textOrError(() => value.exportArgs());
  return { name, kind, internal, args, returns: textOrError(() => value.exportReturns()) };
}

function kindOf(value) {
  if (typeof value !== "function") return null;
  if (value.isQuery) return "query";
  if (value.isMutation) return "mutation";
  if (value.isAction) return "action";
  return value.isHttp ? "http" : null;
}

/** Returns the text that `ask` returns, or the error that it throws. */
function textOrError(ask) {
  try {
    return { text: ask() };
  } catch (error) {
    return { error: { name: String(error?.name), message: String(error?.message) } };
  }
}

/** Describes a thrown error: its message, its stack, the data of a ConvexError, and whether it stopped the call. */
export function describeThrown(thrown) {
  try {
    const isConvexError =
      typeof thrown === "object" && thrown !== null && Symbol.for("ConvexError") in thrown;
    const stack = String(thrown?.stack ?? "");
    // Convex's library has already converted the data to text.
    const data = isConvexError ? String(thrown.data) : undefined;
    if (thrown instanceof StopError) return { words: thrown.message, stack, isStop: true };
    return { words: inWords(thrown), stack, data };
  } catch {
    return { words: "Error: what was thrown cannot be told", stack: "" };
  }
}

function inWords(error) {
  const isError = error instanceof Error || typeof error?.message === "string";
  return isError ? `${error.name || "Error"}: ${error.message}` : String(error);
}
