// Stands for node:async_hooks in the emulator and in our own parts: however many contexts follow the
// calls under way, Node carries one. Each that it carries costs at every promise that is made.

import { AsyncLocalStorage as Carrier } from "node:async_hooks";

const carrier = new Carrier();
let storages = 0;

/** The part of Node's class of this name that is used here. */
export class AsyncLocalStorage {
  #place = storages++;

  run(value, call, ...args) {
    const values = carrier.getStore()?.slice() ?? [];
    values[this.#place] = value;
    return carrier.run(values, call, ...args);
  }

  exit(call, ...args) {
    return this.run(undefined, call, ...args);
  }

  getStore() {
    return carrier.getStore()?.[this.#place];
  }
}

/** Runs `call` outside of all that is under way. */
export const outside = (call) => carrier.run([], call);

/** Returns what runs a call as a part of what is under way here. */
export function here() {
  return Carrier.snapshot();
}
