// Calls of functions by clients, over HTTP and over the sync protocol. System functions need the
// deployment's key.

import { callSystem, isSystem } from "./admin.mjs";
import { FunctionError } from "../errors.mjs";
import { notFound } from "../functions/executor.mjs";
import { ADMIN } from "./identity.mjs";

/** The message for a caller of a system function who does not have the key. */
export const FORBIDDEN = "You don't have permission to perform this operation.";

/** @typedef {import("../functions/executor.mjs").Outcome} Outcome */

/**
 * Calls a function for a client.
 *
 * @param {import("../deployment.mjs").Deployment} deployment
 * @param {"query" | "mutation" | "action" | "function"} kind a "function" is of any kind
 * @param {string} path
 * @param {object} args
 * @param {import("./identity.mjs").Identity} identity
 * @param {string} [component] the path of the component that the function belongs to; empty for the app
 * @param {bigint} [time] the time of the data that a query sees; by default it sees the newest
 * @returns {Promise<Outcome>} also if the function fails
 */
export async function callFunction(
  deployment,
  kind,
  path,
  args,
  identity,
  component = "",
  time = undefined,
) {
  const { components, executor } = deployment;
  const needsKey = isSystem(path) || component !== "";
  if (needsKey && identity !== ADMIN) return failed(FORBIDDEN);
  if (!components.has(component)) return failed(`Component "${component}" not found`);
  if (isSystem(path))
    return executor.asOutcome(() => callSystem(path, args, deployment, component));
  const ofKind = kind === "function" ? executor.kindOf(path, component, identity) : kind;
  if (ofKind !== undefined) return executor.call(ofKind, path, args, identity, component, time);
  // Here the real backend's message has no word "public"; the command line searches this message.
  return executor.asOutcome(() => {
    throw new FunctionError(notFound("function", path));
  });
}

/** @returns {Outcome} */
function failed(errorMessage) {
  return { success: false, errorMessage, logLines: [] };
}
