// Calls functions of a project on the emulator, with the outcomes that the real backend gives.

import { convexTest } from "convex-test";
import { ConvexError, convexToJson, jsonToConvex } from "convex/values";

import { withLog } from "./console.mjs";
import { RequestError } from "./errors.mjs";
import { watchSyscalls } from "./syscalls.mjs";
import { mismatch } from "./validators.mjs";

/** Who calls: nobody, a user, or somebody with the admin key, who may call internal functions. */
export const NOBODY = { kind: "none" };
export const ADMIN = { kind: "admin" };

/**
 * @typedef {{ kind: "none" } | { kind: "admin" } | { kind: "user", attributes: object }} Identity
 * @typedef {import("./sync.mjs").Outcome} Outcome
 */

export class Executor {
  #project;
  #adminKey;
  #emulator;
  #listeners = new Set();
  #requests = 0;
  /** Counts resets, so that what an earlier life of the deployment left running is ignored. */
  #life = 0;

  constructor(project, adminKey, links) {
    this.#project = project;
    this.#adminKey = adminKey;
    this.reset();
    watchSyscalls({ onWrite: () => this.#written(), links, executor: this });
  }

  /** Forgets every document, file and scheduled function. */
  reset() {
    this.#life += 1;
    this.#emulator = convexTest({
      schema: this.#project.schema,
      modules: this.#project.modules,
      transactionLimits: true,
    });
    this.#notify();
  }

  get project() {
    return this.#project;
  }

  /** Runs `handler` with a mutation's `ctx` that also has storage. */
  run(handler) {
    return this.#emulator.run(handler);
  }

  /** Resolves when no scheduled function is running. */
  idle() {
    return this.#emulator.finishInProgressScheduledFunctions();
  }

  /** Runs an HTTP action. */
  fetch(path, init, identity = NOBODY) {
    return this.#as(identity).fetch(path, init);
  }

  query(path, args, identity) {
    return this.#call("query", path, args, identity);
  }

  mutation(path, args, identity) {
    return this.#call("mutation", path, args, identity);
  }

  action(path, args, identity) {
    return this.#call("action", path, args, identity);
  }

  /** Calls a function of any kind as the backend itself does, for crons. */
  async internal(path, args) {
    const spec = this.#project.functions.get(path);
    return this.#call(spec.kind, path, args, ADMIN);
  }

  /** Calls `listener` after each commit; returns a function that ends it. */
  onWrite(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns who presents such credentials, or throws. */
  identify({ tokenType, value, impersonating }) {
    switch (tokenType) {
      case "None":
        return NOBODY;
      case "Admin":
        if (value !== this.#adminKey) {
          throw new RequestError(401, "BadDeployKey", "The provided deploy key was invalid for this instance");
        }
        return impersonating ? asUser(impersonating) : ADMIN;
      default:
        throw new RequestError(401, "AuthProviderNotConfigured",
          "No auth provider found matching the given token: this deployment knows none");
    }
  }

  /**
   * Checks what the backend checks before a function runs.
   *
   * @returns {string | null} the error message
   */
  argumentsError(path, args) {
    const spec = this.#project.functions.get(path);
    const found = spec && mismatch(spec.args, args);
    return found ? `ArgumentValidationError: ${found}` : null;
  }

  async #call(kind, path, jsonArgs, identity = NOBODY) {
    const logLines = [];
    const requestId = (this.#requests++).toString(16).padStart(16, "0");
    try {
      const value = await withLog(logLines, () => this.#invoke(kind, path, jsonArgs, identity));
      return { success: true, value, logLines };
    } catch (error) {
      return { success: false, logLines, ...described(error, requestId) };
    } finally {
      if (kind === "mutation") this.#notify();
    }
  }

  async #invoke(kind, rawPath, jsonArgs, identity) {
    const path = normalized(rawPath);
    const spec = this.#callable(kind, path, identity);
    const args = jsonToConvex(jsonArgs);
    const problem = this.argumentsError(path, args);
    if (problem) throw new ServerError(problem);
    const caller = this.#as(identity);
    const address = { udfPath: path, componentPath: "" };
    const value = await caller[`${kind}FromPath`](address, args);
    const wrong = spec.returns && mismatch(spec.returns, value ?? null);
    if (wrong) throw new ServerError(`ReturnsValidationError: ${wrong}`);
    return convexToJson(value ?? null);
  }

  #callable(kind, path, identity) {
    const spec = this.#project.functions.get(path);
    const isOpen = spec && (!spec.internal || identity.kind === "admin");
    if (!isOpen) {
      const which = identity.kind === "admin" ? "function" : "public function";
      throw new ServerError(
        `Could not find ${which} for '${path}'. Did you forget to run \`npx convex dev\` or \`npx convex deploy\`?`,
        { bare: true },
      );
    }
    if (spec.kind !== kind) {
      const [found, wanted] = [spec.kind, kind].map((name) => name[0].toUpperCase() + name.slice(1));
      throw new ServerError(`Trying to execute ${path} as ${wanted}, but it is defined as ${found}.`, { bare: true });
    }
    return spec;
  }

  #as(identity) {
    return identity.kind === "user" ? this.#emulator.withIdentity(identity.attributes) : this.#emulator;
  }

  /** Called at each write, before its commit: waits for the transaction's end, then tells. */
  #written() {
    const life = this.#life;
    // An empty query has to wait for the transaction that wrote, and for nothing else.
    setImmediate(async () => {
      await this.#emulator.query(async () => null).catch(() => {});
      if (life === this.#life) this.#notify();
    });
  }

  #notify() {
    for (const listener of this.#listeners) listener();
  }
}

/** An error in the real backend's words. */
class ServerError extends Error {
  constructor(message, { bare = false } = {}) {
    super(message);
    this.bare = bare;
  }
}

function asUser(attributes) {
  const issuer = attributes.issuer ?? "https://users.test";
  const tokenIdentifier = attributes.tokenIdentifier ?? `${issuer}|${attributes.subject}`;
  return { kind: "user", attributes: { ...attributes, issuer, tokenIdentifier } };
}

function normalized(path) {
  const [module, name = "default"] = path.split(":");
  return `${module.replace(/\.js$/, "")}:${name}`;
}

function described(error, requestId) {
  const head = `[Request ID: ${requestId}] Server Error`;
  if (isConvexError(error)) {
    const data = typeof error.data === "string" ? error.data : JSON.stringify(convexToJson(error.data));
    return {
      errorMessage: `${head}\nUncaught ConvexError: ${data}\n${frames(error)}`,
      errorData: convexToJson(error.data),
    };
  }
  if (error instanceof ServerError) {
    return { errorMessage: error.bare ? `${head}\n${error.message}` : `${head}\n${error.message}\n` };
  }
  return { errorMessage: `${head}\nUncaught ${inWords(error)}\n${frames(error)}` };
}

function isConvexError(error) {
  return error instanceof ConvexError || error?.[Symbol.for("ConvexError")] === true;
}

function inWords(error) {
  if (!(error instanceof Error) && typeof error?.message !== "string") return String(error);
  return `${error.name ?? "Error"}: ${error.message}`;
}

/** Where in the project an error came from, without our own frames. */
function frames(error) {
  const lines = String(error?.stack ?? "").split("\n");
  const own = lines.filter((line) => /\/(?:isolate|node)\/[^)]*\.mjs/.test(line));
  return own
    .slice(0, 8)
    .map((line) => line.replace(/\(?file:[^)]*\/(?:isolate|node)\/([^?)]*)\.mjs[^:]*:(\d+):(\d+)\)?/, "(../convex/$1:$2:$3)"))
    .join("\n");
}
