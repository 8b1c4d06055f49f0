// The check whether model code has changed objects that outlive its calls: those of the language, of the web,
// of Node and of Convex's library.
//
// The objects, and the functions that compare them, are read before model code runs.

import { Buffer } from "node:buffer";
import { builtinModules } from "node:module";
import process from "node:process";

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, isExtensible } = Object;
const { ownKeys } = Reflect;
const { getActiveResourcesInfo, getBuiltinModule, moduleLoadList } = /** @type {any} */ (process);
const LOCKED = { configurable: false, writable: false };
const exec = RegExp.prototype.exec.call.bind(RegExp.prototype.exec);

/** Classes for which Node loads the whole of undici, in 30 ms, when code first reads one of them. */
const UNDICI = [
  "CloseEvent",
  "FormData",
  "Headers",
  "MessageEvent",
  "Request",
  "Response",
  "WebSocket",
];
/** Words in code that make Node load undici. */
const LOADS_UNDICI = new Set([...UNDICI, "fetch", "httpAction"]);
const WORD = /[\w$]+/g;
/** Objects that Node makes when code first reads them; crypto.subtle is another such object. */
const MADE_LATE = ["crypto", "performance", "navigator"];
/** The globals that Node has and the default runtime lacks; undici reads some of them. */
const OF_NODE = ["process", "Buffer", "global", "setImmediate", "clearImmediate"];
const REQUIRED = /\brequire\("(?:node:)?([\w/]+)"\)/g;
/** The names of Node's modules, by their names in Node's list of loaded modules. */
const MODULES = Object.assign(
  Object.create(null),
  Object.fromEntries(builtinModules.map((name) => [`NativeModule ${name}`, name])),
);

/**
 * The state of an object before model code runs.
 *
 * @typedef {{ object: object, prototype: object | null, extensible: boolean, keys: PropertyKey[],
 *   properties: PropertyDescriptor[] }} Shape
 */

/**
 * Returns true if code can reach undici.
 *
 * @param {{ isolate: string, node: string | null }} bundles
 */
export function usesUndici({ isolate, node }) {
  const words = new Set(isolate.match(WORD));
  return node !== null || [...LOADS_UNDICI].some((name) => words.has(name));
}

export class Pristine {
  /** @type {Shape[]} */
  #shapes = [];
  /** The objects that were read or need not be read: Node's list of modules grows by itself. */
  #seen = new Set([moduleLoadList, globalThis]);
  /** The number of Node's loaded modules; 0 if the code cannot reach them. */
  #loaded = 0;
  #resources = 0;

  /**
   * Reads the objects that exist for any code. This takes 10 ms, so it happens before the code is known.
   *
   * @param {object[]} roots our objects that the code can reach, in addition to global objects
   */
  constructor(roots) {
    this.#read([...roots, ...hidden(), ...globals()]);
  }

  /**
   * Reads the other objects; call it before any of the code runs. If the code is of the default runtime alone
   * and does not mention undici, objects that it does not need and that are slow to read are removed instead.
   *
   * @param {{ isolate: string, node: string | null }} bundles
   */
  complete({ isolate, node }) {
    if (usesUndici({ isolate, node })) {
      this.#readNode(node ?? "");
    } else {
      const words = new Set(isolate.match(WORD));
      const unused = MADE_LATE.filter((name) => !words.has(name));
      for (const name of [...UNDICI, ...OF_NODE, ...unused]) delete globalThis[name];
    }
    const late = MADE_LATE.map((name) => globalThis[name]);
    this.#seen.delete(globalThis);
    this.#read([...late, late[0]?.subtle, globalThis]);
    if (this.#loaded > 0) this.#readChanges();
    this.#resources = getActiveResourcesInfo().length;
  }

  #readNode(code) {
    for (const [, name] of code.matchAll(REQUIRED)) getBuiltinModule(name);
    for (const name of [...UNDICI, ...MADE_LATE]) this.#read([globalThis[name]]);
    this.#read([process, Buffer]);
    // When some modules are read, Node loads others.
    for (; this.#loaded < moduleLoadList.length; this.#loaded++) {
      const name = MODULES[moduleLoadList[this.#loaded]];
      if (name) this.#read([getBuiltinModule(name)]);
    }
  }

  /** True if no object has changed, and there are no new active resources, such as timers. */
  get holds() {
    if (getActiveResourcesInfo().length !== this.#resources) return false;
    for (let i = this.#loaded; i > 0 && i < moduleLoadList.length; i++) {
      if (MODULES[moduleLoadList[i]]) return false;
    }
    for (let i = 0; i < this.#shapes.length; i++) {
      if (!isAsBefore(this.#shapes[i])) return false;
    }
    // RegExp.$1 and similar properties have the last match: this match clears them.
    exec(/(?:)/, "");
    return true;
  }

  /** Reads the objects again that Node changed while it loaded modules. */
  #readChanges() {
    const changed = this.#shapes.filter((shape) => !isAsBefore(shape)).map(({ object }) => object);
    this.#shapes = this.#shapes.filter(({ object }) => !changed.includes(object));
    for (const object of changed) this.#seen.delete(object);
    this.#read(changed);
  }

  #read(waiting) {
    while (waiting.length > 0) {
      const object = waiting.pop();
      const isObject = typeof object === "object" || typeof object === "function";
      if (!isObject || object === null || this.#seen.has(object)) continue;
      this.#seen.add(object);
      const shape = lockBareFunction(shapeOf(object));
      this.#shapes.push(shape);
      waiting.push(shape.prototype);
      for (const { value, get, set } of shape.properties) waiting.push(value, get, set);
    }
  }
}

/** @returns {Shape} */
function shapeOf(object) {
  const keys = ownKeys(object);
  return {
    object,
    prototype: getPrototypeOf(object),
    extensible: isExtensible(object),
    keys,
    properties: keys.map((key) => getOwnPropertyDescriptor(object, key) ?? {}),
  };
}

/**
 * Locks the properties of a function that has only a name and a length. Most objects are such functions, and
 * locked properties need no comparison.
 *
 * @param {Shape} shape
 */
function lockBareFunction(shape) {
  const { object, keys } = shape;
  const isBare = typeof object === "function" && keys.length === 2 && keys[0] === "length";
  if (!isBare || keys[1] !== "name") return shape;
  for (const key of keys) defineProperty(object, key, LOCKED);
  return { ...shape, properties: [] };
}

/** @param {Shape} shape */
function isAsBefore({ object, prototype, extensible, keys, properties }) {
  if (getPrototypeOf(object) !== prototype || isExtensible(object) !== extensible) return false;
  const now = ownKeys(object);
  if (now.length !== keys.length) return false;
  if (properties.length === 0) return true;
  for (let i = 0; i < keys.length; i++) {
    if (now[i] !== keys[i]) return false;
    const property = getOwnPropertyDescriptor(object, keys[i]);
    if (property === undefined || !isSame(property, properties[i])) return false;
  }
  return true;
}

/**
 * @param {PropertyDescriptor} now
 * @param {PropertyDescriptor} before
 */
function isSame(now, before) {
  return (
    is(now.value, before.value) &&
    now.get === before.get &&
    now.set === before.set &&
    now.writable === before.writable &&
    now.enumerable === before.enumerable &&
    now.configurable === before.configurable
  );
}

/** Returns the global objects, without those that are read when the code is known. */
function globals() {
  const later = [...UNDICI, ...MADE_LATE, ...OF_NODE];
  const names = ownKeys(globalThis).filter((name) => !later.includes(String(name)));
  const properties = names.map((name) => getOwnPropertyDescriptor(globalThis, name) ?? {});
  return properties.flatMap(({ value, get, set }) => [value, get, set]);
}

/** Returns the prototypes of the language that are not reachable by properties of other objects. */
function hidden() {
  const generator = function* () {};
  const asyncGenerator = async function* () {};
  const iterators = [
    [].values(),
    new Map().values(),
    new Set().values(),
    ""[Symbol.iterator](),
    "".matchAll(/(?:)/g),
    [].values().map((each) => each),
    Iterator.from({ next: () => ({ done: true, value: undefined }) }),
    new URLSearchParams().values(),
  ];
  return [...iterators, generator, asyncGenerator, async () => {}].map(getPrototypeOf);
}
