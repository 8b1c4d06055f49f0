// Tells whether model code has changed anything that outlives its calls: the objects of the language,
// of the web, of Node and of Convex's library.
//
// All that is compared is read before model code runs, and so are the functions that compare.

import { builtinModules } from "node:module";

const { getOwnPropertyDescriptor, getPrototypeOf, is, isExtensible } = Object;
const { ownKeys } = Reflect;
const { getActiveResourcesInfo, getBuiltinModule, moduleLoadList } = /** @type {any} */ (process);
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
const LOADS_UNDICI = new RegExp(`\\b(?:${UNDICI.join("|")}|fetch|httpAction)\\b`);
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
  #loaded;
  #resources;

  /**
   * Reads all that is there now.
   *
   * @param {{ isolate: string, node: string | null }} bundles the code that will run
   * @param {object[]} roots objects of ours that this code can reach, beside the global ones
   */
  constructor(bundles, roots) {
    loadWhatIsNamed(bundles);
    this.#loaded = moduleLoadList.length;
    const modules = moduleLoadList.map((listed) => getBuiltinModule(MODULES[listed] ?? ""));
    const { subtle } = crypto;
    const behindGetters = [process, Buffer, crypto, subtle, performance, navigator];
    this.#read([...roots, ...hidden(), ...modules, ...behindGetters, globalThis]);
    this.#resources = getActiveResourcesInfo().length;
  }

  /** Whether everything is as it was, and nothing goes on that was not there. */
  get holds() {
    if (getActiveResourcesInfo().length !== this.#resources) return false;
    for (let i = this.#loaded; i < moduleLoadList.length; i++) {
      if (MODULES[moduleLoadList[i]]) return false;
    }
    for (let i = 0; i < this.#shapes.length; i++) {
      if (!isAsBefore(this.#shapes[i])) return false;
    }
    // RegExp.$1 and the like hold the last match.
    exec(/(?:)/, "");
    return true;
  }

  #read(waiting) {
    // The list grows as Node loads modules of its own.
    const seen = new Set([moduleLoadList]);
    while (waiting.length > 0) {
      const object = waiting.pop();
      const isObject = typeof object === "object" || typeof object === "function";
      if (!isObject || object === null || seen.has(object)) continue;
      seen.add(object);
      const shape = shapeOf(object);
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

/** @param {Shape} shape */
function isAsBefore({ object, prototype, extensible, keys, properties }) {
  if (getPrototypeOf(object) !== prototype || isExtensible(object) !== extensible) return false;
  const now = ownKeys(object);
  if (now.length !== keys.length) return false;
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

/** Has Node load what the code names, and takes away the classes of undici where it names none. */
function loadWhatIsNamed({ isolate, node }) {
  const code = isolate + (node ?? "");
  if (node === null && !LOADS_UNDICI.test(code)) for (const name of UNDICI) delete globalThis[name];
  for (const [, name] of (node ?? "").matchAll(REQUIRED)) getBuiltinModule(name);
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
