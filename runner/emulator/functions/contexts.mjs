// A replacement for node:async_hooks in the emulator. All contexts of running calls share one context of
// Node, because each context of Node takes time at every promise.

import { AsyncLocalStorage as Carrier } from "node:async_hooks";

const carrier = new Carrier();
let storages = 0;

/** A class like Node's AsyncLocalStorage, with the methods that are used here. */
export class AsyncLocalStorage {
  #place = storages++;

  run(value, call, ...args) {
    const values = carrier.getStore()?.slice() ?? [];
    values[this.#place] = value;
    return carrier.run(values, call, ...args);
  }

  getStore() {
    return carrier.getStore()?.[this.#place];
  }
}

/** Runs `call` without any context. */
export const outside = (call) => carrier.run([], call);

/** Returns a function that runs a call in the present context. */
export function here() {
  return Carrier.snapshot();
}
