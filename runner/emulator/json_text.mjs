// JSON as the real backend reads it: unlike JavaScript, it has no text with half of a surrogate pair.

import { Buffer } from "node:buffer";

const MAYBE_HALF = /\\ud[89a-f]/i;
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/gi;
const LOW = /\\ud[c-f]/iy;
const ANY = /\\u/y;
/** The characters of an escape, such as \ud83d. */
const LENGTH = 6;

/** The words before a fault in the arguments of a request. */
export const WRONG_ARGUMENTS = "Received invalid json: ";

/**
 * Returns the value of a JSON text. Throws the real backend's words if a text in it has half of a surrogate
 * pair; JSON.stringify writes such a half as an escape.
 *
 * @param {string} json
 * @param {string} [before] the beginning of the words
 */
export function parseJson(json, before = "") {
  const fault = MAYBE_HALF.test(json) ? findHalf(json) : null;
  if (fault === null) return JSON.parse(json);
  const column = Buffer.byteLength(json.slice(0, fault.end));
  throw new SyntaxError(`${before}${fault.words} at line 1 column ${column}`);
}

/** Returns the words about the first half of a surrogate pair, and the end of what was read; null if there is none. */
function findHalf(json) {
  ESCAPE.lastIndex = 0;
  for (let escape = ESCAPE.exec(json); escape; escape = ESCAPE.exec(json)) {
    const unit = parseInt(escape[1] ?? "0", 16);
    const end = ESCAPE.lastIndex;
    if (unit >= 0xdc00 && unit < 0xe000)
      return { words: "lone leading surrogate in hex escape", end };
    if (unit < 0xd800 || unit >= 0xdc00) continue;
    if (!isAt(ANY, json, end)) return { words: "unexpected end of hex escape", end: end + 1 };
    if (!isAt(LOW, json, end))
      return { words: "lone leading surrogate in hex escape", end: end + LENGTH };
    ESCAPE.lastIndex = end + LENGTH;
  }
  return null;
}

function isAt(pattern, json, place) {
  pattern.lastIndex = place;
  return pattern.test(json);
}
