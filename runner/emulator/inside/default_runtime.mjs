// The global names and the members of classes that the default runtime has, which default_runtime.json lists.
// Node has more of them: they are hidden from code of the default runtime.

import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

import LIST from "./default_runtime.json" with { type: "json" };

/** @typedef {{ static: string[], prototype: string[], notImplemented?: string[] }} Members */
/** @type {Record<string, Members>} */
const CLASSES = LIST.classes;
/** All global names of the default runtime. */
export const NAMES = new Set([...LIST.language, ...LIST.values, ...Object.keys(CLASSES)]);
/** Classes for which Node loads the whole of undici, in 30 ms, when code first reads one of them. */
export const OF_UNDICI = ["FormData", "Headers", "Request", "Response"];
/** Classes that are slow to load, too. */
export const OF_CRYPTO = ["Crypto", "CryptoKey", "SubtleCrypto"];
/** The classes that are not Node's: performance.mjs defines them. */
const OWN = Object.keys(CLASSES).filter((name) => name.startsWith("Performance"));
const LATE = new Set([...OF_UNDICI, ...OF_CRYPTO, ...OWN]);
/** The classes that are loaded for any code. */
export const EARLY = Object.keys(CLASSES).filter((name) => !LATE.has(name));
const OF_EVERY_CLASS = ["length", "name", "prototype"];

/**
 * Ends the present call, because the default runtime has not implemented `what`. Code cannot catch the error.
 *
 * @param {import("./calls.mjs").Calls} calls
 * @param {string} what
 * @returns {never}
 */
export function endNotImplemented(calls, what) {
  return calls.stop(
    `Not implemented: ${what}. Consider calling an action defined in Node.js instead ` +
      "(https://docs.convex.dev/functions/actions).",
  );
}

/** The members of Node's classes, as code sees them. */
export class ClassMembers {
  #calls;
  /** @type {{ object: object, key: string, descriptor: PropertyDescriptor }[]} */
  #removed = [];

  /** @param {import("./calls.mjs").Calls} calls */
  constructor(calls) {
    this.#calls = calls;
  }

  /** True if code of the default runtime runs. */
  get #isDefault() {
    return this.#calls.current()?.node === false;
  }

  /** Removes the members of classes that only Node has, and lets others end the calls that use them. */
  restrict(names) {
    for (const name of names) {
      const definition = { AsyncLocalStorage, AsyncResource }[name] ?? globalThis[name];
      const { static: ofClass, prototype, notImplemented = [] } = CLASSES[name];
      this.#remove(definition, [...ofClass, ...OF_EVERY_CLASS]);
      this.#remove(definition.prototype, [...prototype, "constructor"]);
      for (const operation of notImplemented) this.#refuse(definition.prototype, name, operation);
      if (name === "URLSearchParams") this.#lendSize();
    }
  }

  /**
   * Lends `size` of URLSearchParams to the members of URL: Node's own code reads it before it writes changed
   * parameters into their address.
   */
  #lendSize() {
    const params = URLSearchParams.prototype;
    const { descriptor } = /** @type {any} */ (
      this.#removed.find(({ object }) => object === params)
    );
    const lendTo = (method) => ({
      member(...args) {
        const present = Object.getOwnPropertyDescriptor(params, "size");
        Object.defineProperty(params, "size", descriptor);
        try {
          return method.apply(this, args);
        } finally {
          if (present) Object.defineProperty(params, "size", present);
          else Reflect.deleteProperty(params, "size");
        }
      },
    });
    for (const [key, own] of Object.entries(Object.getOwnPropertyDescriptors(URL.prototype))) {
      if (key === "constructor") continue;
      for (const part of ["value", "get", "set"])
        if (typeof own[part] === "function") own[part] = lendTo(own[part]).member;
      Object.defineProperty(URL.prototype, key, own);
    }
  }

  /** Gives the removed members back to Node's actions; other code reads `undefined`. */
  share() {
    for (const { object, key, descriptor } of this.#removed.splice(0)) {
      const isDefault = () => this.#isDefault;
      Object.defineProperty(object, key, {
        configurable: true,
        enumerable: descriptor.enumerable,
        get() {
          if (isDefault()) return undefined;
          return descriptor.get ? descriptor.get.call(this) : descriptor.value;
        },
        set(value) {
          Object.defineProperty(this, key, { value, configurable: true, writable: true });
        },
      });
    }
  }

  #remove(object, allowed) {
    for (const key of Object.getOwnPropertyNames(object)) {
      if (allowed.includes(key)) continue;
      const descriptor = /** @type {PropertyDescriptor} */ (
        Object.getOwnPropertyDescriptor(object, key)
      );
      if (!descriptor.configurable) continue;
      delete object[key];
      this.#removed.push({ object, key, descriptor });
    }
  }

  /** @param {string} operation the name of a method, or "get" or "set" and the name of a property */
  #refuse(prototype, className, operation) {
    const [key, part = "value"] = operation.split(" ").reverse();
    const descriptor = /** @type {any} */ (Object.getOwnPropertyDescriptor(prototype, key));
    const original = descriptor[part];
    const [calls, isDefault] = [this.#calls, () => this.#isDefault];
    // A method, because a function declaration would be a constructor.
    const { refused } = {
      refused(...args) {
        if (isDefault()) endNotImplemented(calls, `${operation} for ${className}`);
        return original.apply(this, args);
      },
    };
    Object.defineProperty(prototype, key, { ...descriptor, [part]: refused });
  }
}
