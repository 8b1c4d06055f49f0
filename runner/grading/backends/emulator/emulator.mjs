// Convex's own emulator (convex-test): its database, its transactions, its searches.
//
// Functions do not run in it: it is given closures to run within a transaction, and is asked for
// what functions ask of the backend ("syscalls"). See executor.mjs and syscalls.mjs.

import { convexTest } from "convex-test";

/** What a transaction throws to be rolled back when its function failed. */
class Rollback extends Error {}

export class Emulator {
  /** @type {any} as much of a schema as convex-test reads */
  #schema;
  #test;
  #raw;
  #nested = new Map();
  #nextNested = 1;
  /** Every table that was ever written to. */
  #tables = new Set();

  /** @param {{ tables: Map<string, object> } | null} schema its tables' JSON by name */
  constructor(schema) {
    const tables = [...(schema?.tables ?? [])].map(([name, table]) => [
      name,
      { export: () => table },
    ]);
    // Documents are validated before they come here, in the real backend's words.
    this.#schema = schema
      ? { tables: Object.fromEntries(tables), schemaValidation: false }
      : undefined;
    this.reset();
  }

  /** Forgets every document. */
  reset() {
    const bridge = { query: this.#bridge("isQuery"), mutation: this.#bridge("isMutation") };
    this.#test = convexTest({
      schema: this.#schema,
      modules: {
        "./convex/_generated/api.js": async () => ({}),
        "./convex/bridge.js": async () => bridge,
      },
    });
    this.#tables.clear();
    // Resolves to the emulator of the transaction in which it is called. It is installed once.
    this.#raw ??= globalThis.Convex;
  }

  /**
   * Runs `call` in a transaction of its own, which a failed call of a mutation rolls back.
   *
   * @param {"query" | "mutation"} kind a query's writes are never kept
   * @param {() => Promise<T>} call
   * @returns {Promise<T>}
   * @template T
   */
  async transaction(kind, call) {
    /** @type {Settled<T> | undefined} */
    let outcome;
    try {
      await this.#test[kind](async () => {
        outcome = await settled(call);
        if (outcome.error) throw new Rollback();
        return null;
      });
    } catch (error) {
      if (!(error instanceof Rollback)) throw error;
    }
    return valueOf(outcome);
  }

  /**
   * Runs `call` in a transaction within the one under way.
   *
   * @param {"query" | "mutation"} kind
   * @param {() => Promise<T>} call
   * @param {{ udfType?: string, transactionLimits?: object }} [options]
   * @returns {Promise<T>}
   * @template T
   */
  async nested(kind, call, { udfType = kind, transactionLimits } = {}) {
    const token = this.#nextNested++;
    /** @type {Settled<T> | undefined} */
    let outcome;
    this.#nested.set(token, async () => {
      outcome = await settled(call);
      if (outcome.error) throw new Rollback();
      return null;
    });
    try {
      const asked = { udfType, name: `bridge:${kind}`, args: { token }, transactionLimits };
      await this.#raw.asyncSyscall("1.0/runUdf", JSON.stringify(asked));
    } catch (error) {
      if (!(error instanceof Rollback)) throw error;
    } finally {
      this.#nested.delete(token);
    }
    return valueOf(outcome);
  }

  /** Returns the names of the tables that were ever written to, without the system's. */
  tables() {
    return [...this.#tables].filter((name) => !name.startsWith("_"));
  }

  /** Asks the emulator for something, within a transaction. */
  async ask(op, args) {
    if (op === "1.0/insert") this.#tables.add(args.table);
    return JSON.parse(await this.#raw.asyncSyscall(op, JSON.stringify(args)));
  }

  /** The same for what it answers at once. */
  askNow(op, args) {
    return JSON.parse(this.#raw.syscall(op, JSON.stringify(args)));
  }

  #bridge(kind) {
    const handler = (_ctx, { token }) => this.#nested.get(token)();
    return {
      [kind]: true,
      _handler: handler,
      exportArgs: () => '{"type":"any"}',
      exportReturns: () => "null",
    };
  }
}

/**
 * How a call ended: with a value, or with what was thrown, wrapped because that can be null too.
 *
 * @typedef {{ value: T, error?: undefined } | { error: { thrown: unknown } }} Settled
 * @template T
 */

/**
 * @param {() => Promise<T>} call
 * @returns {Promise<Settled<T>>}
 * @template T
 */
async function settled(call) {
  try {
    return { value: await call() };
  } catch (thrown) {
    return { error: { thrown } };
  }
}

/**
 * Returns what a call returned, or throws what it threw.
 *
 * @param {Settled<T> | undefined} outcome
 * @returns {T}
 * @template T
 */
function valueOf(outcome) {
  if (!outcome) throw new Error("The emulator began no transaction.");
  if (outcome.error) throw outcome.error.thrown;
  return outcome.value;
}
