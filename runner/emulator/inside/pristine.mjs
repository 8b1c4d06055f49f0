// Tells whether model code has changed anything that outlives its calls: the objects of the language,
// of the web, of Node and of Convex's library.
//
// All that is compared is read before model code runs, and so are the functions that compare.

import { Buffer } from "node:buffer";
import { builtinModules } from "node:module";
import process from "node:process";

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, isExtensible } = Object;
const { ownKeys } = Reflect;
const { getActiveResourcesInfo, getBuiltinModule, moduleLoadList } = /** @type {any} */ (process);
const LOCKED = { configurable: false, writable: false };
const exec = RegExp.prototype.exec.call.bind(RegExp.prototype.exec);

/** Classes that Node loads with all of undici, in 30 ms, as soon as anything looks at one of them. */
const UNDICI = [
  "CloseEvent",
  "FormData",
  "Headers",
  "MessageEvent",
  "Request",
  "Response",
  "WebSocket",
];
/** Words of code that has undici loaded. */
const LOADS_UNDICI = new Set([...UNDICI, "fetch", "httpAction"]);
const WORD = /[\w$]+/g;
/** Objects that Node makes when somebody asks for them; crypto.subtle is another one. */
const MADE_LATE = ["crypto", "performance", "navigator"];
/** What code finds in Node, and not in the default runtime; undici itself looks for some of it. */
const OF_NODE = ["process", "Buffer", "global", "setImmediate", "clearImmediate"];
const REQUIRED = /\brequire\("(?:node:)?([\w/]+)"\)/g;
/** The names of Node's modules, by how the list of all that it has loaded speaks of them. */
const MODULES = Object.assign(
  Object.create(null),
  Object.fromEntries(builtinModules.map((name) => [`NativeModule ${name}`, name])),
);

/**
 * An object as it was.
 *
 * @typedef {{ object: object, prototype: object | null, extensible: boolean, keys: PropertyKey[],
 *   properties: PropertyDescriptor[] }} Shape
 */

export class Pristine {
  /** @type {Shape[]} */
  #shapes = [];
  /** What is read, or need not be: the list of modules grows as Node loads some of its own. */
  #seen = new Set([moduleLoadList, globalThis]);
  /** How many modules of Node's were loaded; 0 where the code cannot reach them. */
  #loaded = 0;
  #resources = 0;

  /**
   * Reads what is there whatever code will run: ahead of time, for it takes 10 ms.
   *
   * @param {object[]} roots objects of ours that the code can reach, beside the global ones
   */
  constructor(roots) {
    this.#read([...roots, ...hidden(), ...globals()]);
  }

  /**
   * Reads the rest, and nothing of the code may have run before. From code of the default runtime that
   * names nothing of undici, all is taken away that it has no use for and would be dear to read.
   *
   * @param {{ isolate: string, node: string | null }} bundles
   */
  complete({ isolate, node }) {
    const words = new Set(isolate.match(WORD));
    if (node !== null || [...LOADS_UNDICI].some((name) => words.has(name))) {
      this.#readNode(node ?? "");
    } else {
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
    // To look at some modules has Node load others.
    for (; this.#loaded < moduleLoadList.length; this.#loaded++) {
      const name = MODULES[moduleLoadList[this.#loaded]];
      if (name) this.#read([getBuiltinModule(name)]);
    }
  }

  /** Whether everything is as it was, and nothing goes on that was not there. */
  get holds() {
    if (getActiveResourcesInfo().length !== this.#resources) return false;
    for (let i = this.#loaded; i > 0 && i < moduleLoadList.length; i++) {
      if (MODULES[moduleLoadList[i]]) return false;
    }
    for (let i = 0; i < this.#shapes.length; i++) {
      if (!isAsBefore(this.#shapes[i])) return false;
    }
    // RegExp.$1 and the like hold the last match.
    exec(/(?:)/, "");
    return true;
  }

  /** Reads anew what Node changed while it loaded modules. */
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
 * Locks the properties of a function that has only a name and a length. Most objects are such
 * functions, and a locked property needs no comparison.
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

/** Returns what the global object holds, without what is read when the code is known. */
function globals() {
  const later = [...UNDICI, ...MADE_LATE, ...OF_NODE];
  const names = ownKeys(globalThis).filter((name) => !later.includes(String(name)));
  const properties = names.map((name) => getOwnPropertyDescriptor(globalThis, name) ?? {});
  return properties.flatMap(({ value, get, set }) => [value, get, set]);
}

/** Returns the prototypes of the language to which no property of another object leads. */
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
