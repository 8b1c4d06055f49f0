// The randomness of functions. While a call loads modules, its random numbers are those of the deploy: each
// call gets the same, so `const KEY = Math.random()` at the top of a module never changes.

const { random: drawNumber } = Math;
const BYTES = 256;
const WORDS = 2 ** 32;
/** The largest part of a random number; two parts make the 53 bits of a fraction. */
const HIGH = 2 ** 26;
const LOW = 2 ** 27;
const REFUSAL = "Cannot use cryptographic randomness at import time";

/**
 * Returns a function like Math.random that returns the same numbers for the same seed.
 *
 * @param {number} seed
 */
export function makeRandom(seed) {
  let state = seed;
  const word = () => {
    // A Weyl sequence, whose words are then mixed by multiplications and shifts.
    state = (state + 0x9e3779b9) % WORDS;
    let mixed = state;
    for (const factor of [0x21f0aaad, 0x735a2d97])
      mixed = Math.imul(mixed ^ (mixed >>> 16), factor);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return () => ((word() % HIGH) * LOW + (word() % LOW)) / (HIGH * LOW);
}

/**
 * Replaces Math.random for all calls.
 *
 * @param {import("./calls.mjs").Calls} calls
 */
export function seedNumbers(calls) {
  Math.random = function random() {
    return (calls.current()?.loading?.random ?? drawNumber)();
  };
}

/**
 * Replaces the random functions of `crypto` for all calls. Keys cannot be generated while modules are loaded.
 *
 * @param {import("./calls.mjs").Calls} calls
 */
export function seedCrypto(calls) {
  const { Crypto, SubtleCrypto } = globalThis;
  const { getRandomValues, randomUUID } = Crypto.prototype;
  const { generateKey } = SubtleCrypto.prototype;
  const current = () => calls.current()?.loading?.random;
  replaceMethods(Crypto.prototype, {
    getRandomValues(array) {
      const filled = getRandomValues.call(this, array);
      const random = current();
      return random ? fill(filled, random) : filled;
    },
    randomUUID() {
      const random = current();
      return random ? makeUuid(random) : randomUUID.call(this);
    },
  });
  replaceMethods(SubtleCrypto.prototype, {
    async generateKey(algorithm, extractable, usages) {
      if (current()) throw new Error(REFUSAL);
      return generateKey.call(this, algorithm, extractable, usages);
    },
  });
}

function replaceMethods(prototype, methods) {
  for (const [name, method] of Object.entries(methods)) {
    const before = Object.getOwnPropertyDescriptor(prototype, name);
    Object.defineProperty(prototype, name, { ...before, value: method });
  }
}

function fill(array, random) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let place = 0; place < bytes.length; place++) bytes[place] = Math.floor(random() * BYTES);
  return array;
}

/** Returns a UUID of version 4. */
function makeUuid(random) {
  const bytes = fill(new Uint8Array(16), random);
  bytes[6] = (bytes[6] % 16) + 0x40;
  bytes[8] = (bytes[8] % 64) + 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
