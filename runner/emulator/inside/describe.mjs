// Tells the backend in JSON what a module exports, and what was thrown. What it says is the model's
// word: the backend checks it.

/** Describes a module's exports: its functions, and what files of special names hold. */
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
  return typeof schema.export === "function" ? told(() => schema.export()) : { isForeign: true };
}

/** Describes the definition of an app or component; null where it is none. */
function describeDefinition(found) {
  if (typeof found?.export !== "function") return null;
  const { componentDefinitionPath: tag = null } = found;
  return { tag, exported: told(() => JSON.stringify(found.export())) };
}

function describeFunction(name, kind, value) {
  if (kind === "http") return { name, kind };
  const internal = Boolean(value.isInternal);
  const args = told(() => value.exportArgs());
  return { name, kind, internal, args, returns: told(() => value.exportReturns()) };
}

function kindOf(value) {
  if (typeof value !== "function") return null;
  if (value.isQuery) return "query";
  if (value.isMutation) return "mutation";
  if (value.isAction) return "action";
  return value.isHttp ? "http" : null;
}

/** What `ask` returns, or why it does not. */
function told(ask) {
  try {
    return { text: ask() };
  } catch (error) {
    return { error: { name: String(error?.name), message: String(error?.message) } };
  }
}

/** Says what was thrown in words, with its stack, and what a ConvexError carries. */
export function describeThrown(thrown) {
  try {
    const isConvexError =
      typeof thrown === "object" && thrown !== null && Symbol.for("ConvexError") in thrown;
    const stack = String(thrown?.stack ?? "");
    // Convex's library has made text of the data on the way out.
    return {
      words: inWords(thrown),
      stack,
      ...(isConvexError ? { data: String(thrown.data) } : {}),
    };
  } catch {
    return { words: "Error: what was thrown cannot be told", stack: "" };
  }
}

function inWords(error) {
  const isError = error instanceof Error || typeof error?.message === "string";
  return isError ? `${error.name || "Error"}: ${error.message}` : String(error);
}
