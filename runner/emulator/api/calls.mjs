// Calls of functions by clients, over HTTP and over the sync protocol. System functions need the
// deployment's key.

import { callSystem, isSystem } from "./admin.mjs";
import { FunctionError } from "../errors.mjs";
import { notFound } from "../functions/executor.mjs";
import { ADMIN } from "./identity.mjs";

/** The message for a caller of a system function who does not have the key. */
export const FORBIDDEN = "You don't have permission to perform this operation.";

/** @typedef {import("../sync/protocol.mjs").Outcome} Outcome */

export class Calls {
  #deployment;

  /** @param {import("../deployment.mjs").Deployment} deployment */
  constructor(deployment) {
    this.#deployment = deployment;
  }

  /** @returns {Promise<Outcome>} */
  query(path, args, identity, component = "") {
    return this.#call("query", path, args, identity, component);
  }

  /** @returns {Promise<Outcome>} */
  mutation(path, args, identity, component = "") {
    return this.#call("mutation", path, args, identity, component);
  }

  /** @returns {Promise<Outcome>} */
  action(path, args, identity, component = "") {
    return this.#call("action", path, args, identity, component);
  }

  /** Calls a function of any kind. @returns {Promise<Outcome>} */
  any(path, args, identity, component = "") {
    const { components, executor } = this.#deployment;
    if (isSystem(path) || !components.has(component))
      return this.#call("query", path, args, identity, component);
    const kind = executor.kindOf(path, component, identity);
    if (kind !== undefined) return this.#call(kind, path, args, identity, component);
    // Here the real backend's message has no word "public"; the command line searches this message.
    return executor.asOutcome(() => {
      throw new FunctionError(notFound("function", path));
    });
  }

  /** Calls `listener` after each commit. */
  onWrite(listener) {
    this.#deployment.executor.onWrite(listener);
  }

  /** Returns the caller with these credentials, or rejects; see sync/protocol.mjs. */
  async identify(auth) {
    return this.#deployment.identities.identify(auth);
  }

  /**
   * @param {"query" | "mutation" | "action"} kind
   * @param {string} component the path of the component that the function belongs to; empty for the app
   * @returns {Promise<Outcome>}
   */
  async #call(kind, path, args, identity, component) {
    const { components, executor } = this.#deployment;
    const needsKey = isSystem(path) || component !== "";
    if (needsKey && identity !== ADMIN) return failed(FORBIDDEN);
    if (!components.has(component)) return failed(`Component "${component}" not found`);
    if (!isSystem(path)) return executor.call(kind, path, args, identity, component);
    return executor.asOutcome(() => callSystem(path, args, this.#deployment, component));
  }
}

/** @returns {Outcome} */
function failed(errorMessage) {
  return { success: false, errorMessage, logLines: [] };
}
