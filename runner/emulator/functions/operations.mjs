// The operations that functions may request of the backend ("syscalls"), with the kinds of function that may
// request them. checkAllowed checks each request before other code reads it.

/**
 * "loading" is the kind of a module while a deploy loads it.
 *
 * @typedef {"query" | "mutation" | "action" | "http" | "loading"} Kind
 * @typedef {{ kinds: readonly Kind[], writes?: boolean, shown?: string }} Operation shown is the name of
 *   an operation that is no syscall on the real backend
 */

/** @type {readonly Kind[]} */
const TRANSACTIONS = ["query", "mutation"];
/** @type {readonly Kind[]} */
const MUTATIONS = ["mutation"];
/** @type {readonly Kind[]} */
const ACTIONS = ["action", "http"];
/** @type {readonly Kind[]} */
const CALLS = [...TRANSACTIONS, ...ACTIONS];

/** @type {Readonly<Record<string, Operation>>} */
export const OPERATIONS = {
  get: { kinds: TRANSACTIONS },
  queryStreamNext: { kinds: TRANSACTIONS },
  queryCleanup: { kinds: TRANSACTIONS },
  queryPage: { kinds: TRANSACTIONS },
  count: { kinds: TRANSACTIONS },

  insert: { kinds: MUTATIONS, writes: true },
  shallowMerge: { kinds: MUTATIONS, writes: true },
  replace: { kinds: MUTATIONS, writes: true },
  remove: { kinds: MUTATIONS, writes: true },
  schedule: { kinds: MUTATIONS, writes: true },
  cancel_job: { kinds: MUTATIONS, writes: true },

  runUdf: { kinds: TRANSACTIONS },
  "actions/query": { kinds: ACTIONS },
  "actions/mutation": { kinds: ACTIONS },
  "actions/action": { kinds: ACTIONS },
  "actions/schedule": { kinds: ACTIONS },
  "actions/cancel_job": { kinds: ACTIONS },
  "actions/vectorSearch": { kinds: ACTIONS },
  createFunctionHandle: { kinds: CALLS },

  storageGenerateUploadUrl: { kinds: CALLS },
  storageGetUrl: { kinds: CALLS },
  storageGetMetadata: { kinds: CALLS },
  storageDelete: { kinds: [...MUTATIONS, ...ACTIONS], writes: true },
  storageStore: { kinds: ACTIONS, shown: "storage.store()" },
  storageGet: { kinds: ACTIONS, shown: "storage.get()" },
  fetch: { kinds: ACTIONS, shown: "fetch()" },

  getUserIdentity: { kinds: CALLS },
  getFunctionMetadata: { kinds: CALLS },
  getTransactionMetrics: { kinds: TRANSACTIONS },
  getRequestMetadata: { kinds: [...MUTATIONS, ...ACTIONS] },
  getDeploymentMetadata: { kinds: CALLS },
  auditLog: { kinds: CALLS },
};

/** The operations whose answer Convex's library needs at once, without a promise. */
const AT_ONCE = {
  queryStream: { kinds: TRANSACTIONS },
  queryCleanup: OPERATIONS.queryCleanup,
  "db/normalizeId": { kinds: TRANSACTIONS },
  getSnapshotTs: { kinds: TRANSACTIONS },
};

/** The kinds of function, as the real backend's messages name them. */
export const KINDS = { query: "Query", mutation: "Mutation", action: "Action", http: "HttpAction" };

/** The error for a request of a call that has ended. On the real backend calls end with their process. */
export const ENDED = "The function that asks for this has ended.";

/**
 * Throws if a function of this kind may not request an operation.
 *
 * @param {string} op
 * @param {Kind} kind
 */
export function checkAllowed(op, kind) {
  check(OPERATIONS, op, kind, "async operation");
}

/**
 * Throws if a function of this kind may not request an operation whose answer is needed at once.
 *
 * @param {string} op
 * @param {Kind} kind
 */
export function checkAllowedAtOnce(op, kind) {
  check(AT_ONCE, op, kind, "operation");
}

/** Returns true if an operation may change documents, so that rows that were sent before are stale. */
export function mayWrite(op) {
  return op === "runUdf" || Boolean(OPERATIONS[op]?.writes);
}

/** Returns true if functions wait for the answer to an operation by a promise. */
export function isAwaited(op) {
  return !Object.hasOwn(AT_ONCE, op);
}

/**
 * Throws if a function of this kind may not call a function of that type in its own transaction.
 *
 * @param {Kind} kind
 * @param {string} type
 */
export function checkCall(kind, type) {
  const allowed = kind === "mutation" ? ["query", "mutation", "snapshotQuery"] : ["query"];
  if (allowed.includes(type)) return;
  if (type === "snapshotQuery")
    throw new Error("`useStaleSnapshot` is only supported in mutations, not queries.");
  throw new Error(`Cannot call a ${KINDS[type] ?? type} function from a ${KINDS[kind]} function`);
}

/** Returns the real backend's message about a feature that only actions may use. */
export function inTransaction(shown) {
  return (
    `Can't use ${shown} in queries and mutations. Please consider using an action. ` +
    "See https://docs.convex.dev/functions/actions for more details."
  );
}

function check(operations, op, kind, noun) {
  const operation = Object.hasOwn(operations, op) ? operations[op] : undefined;
  const shown = operation?.shown;
  if (kind === "loading")
    throw new Error(`${shown ?? `Syscall 1.0/${op}`} unsupported at import time`);
  if (operation?.kinds.includes(kind)) return;
  if (shown) throw new Error(inTransaction(shown));
  // The message is ours: Convex's library gives queries no method that writes.
  if (operation?.writes && kind === "query")
    throw new Error("Queries cannot write to the database.");
  throw new Error(`Unknown ${noun} 1.0/${op}`);
}
