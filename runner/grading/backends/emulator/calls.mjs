// Calls from outside, the same over HTTP and over the sync protocol: functions of the project, and with
// the key of the deployment those of the system.

import { callSystem, isSystem } from "./admin.mjs";
import { ADMIN } from "./identity.mjs";

/** What somebody without the key hears who calls a function of the system. */
export const FORBIDDEN = "You don't have permission to perform this operation.";

/** @typedef {import("./sync.mjs").Outcome} Outcome */

export class Calls {
  #deployment;

  /** @param {import("./deployment.mjs").Deployment} deployment */
  constructor(deployment) {
    this.#deployment = deployment;
  }

  /** @returns {Promise<Outcome>} */
  query(path, args, identity) {
    return this.#call("query", path, args, identity);
  }

  /** @returns {Promise<Outcome>} */
  mutation(path, args, identity) {
    return this.#call("mutation", path, args, identity);
  }

  /** @returns {Promise<Outcome>} */
  action(path, args, identity) {
    return this.#call("action", path, args, identity);
  }

  /** Calls a function of whatever kind it is. @returns {Promise<Outcome>} */
  any(path, args, identity) {
    return this.#call(this.#deployment.executor.kindOf(path) ?? "query", path, args, identity);
  }

  /** Calls `listener` after each commit; returns a function that ends it. */
  onWrite(listener) {
    return this.#deployment.executor.onWrite(listener);
  }

  /** Returns who presents such credentials, or rejects; see sync.mjs. */
  async identify(auth) {
    return this.#deployment.identities.identify(auth);
  }

  /** @returns {Promise<Outcome>} */
  async #call(kind, path, args, identity) {
    const { executor } = this.#deployment;
    if (!isSystem(path)) return executor.call(kind, path, args, identity);
    if (identity !== ADMIN) return { success: false, errorMessage: FORBIDDEN, logLines: [] };
    return executor.asOutcome(() => callSystem(path, args, this.#deployment));
  }
}
