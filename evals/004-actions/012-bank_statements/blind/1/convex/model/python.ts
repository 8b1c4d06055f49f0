// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/*
 * What Python 3.11 does with text and numbers, where JavaScript does otherwise. It counts in code
 * points, and knows the letters and digits of Unicode 14.
 */

/** The zeros of the decimal digits. Each is followed by its one to nine. */
const ZEROS: readonly number[] = [
  0x0030, 0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6,
  0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80,
  0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
  0xff10, 0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
  0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce,
  0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/** Where later versions of Unicode than 14 have put letters and digits. */
const NEWER: readonly (readonly [number, number])[] = [
  [0x088f, 0x088f],
  [0x0c5c, 0x0c5c],
  [0x0cdc, 0x0cdc],
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d2],
  [0xa7d4, 0xa7d4],
  [0xa7da, 0xa7dc],
  [0xa7f1, 0xa7f1],
  [0x105c0, 0x105ff],
  [0x10940, 0x1095f],
  [0x10d40, 0x10d8f],
  [0x10ec0, 0x10eff],
  [0x1123f, 0x11241],
  [0x11380, 0x113ff],
  [0x116d0, 0x116ff],
  [0x11bc0, 0x11bff],
  [0x11db0, 0x11def],
  [0x11f00, 0x11f5f],
  [0x1342f, 0x1342f],
  [0x13439, 0x143ff],
  [0x16100, 0x1613f],
  [0x16d40, 0x16d7f],
  [0x16ea0, 0x16edf],
  [0x16ff2, 0x16ff6],
  [0x187f8, 0x187ff],
  [0x18cff, 0x18cff],
  [0x18d09, 0x18dff],
  [0x1b132, 0x1b132],
  [0x1b155, 0x1b155],
  [0x1cc00, 0x1cebf],
  [0x1d2c0, 0x1d2df],
  [0x1df25, 0x1df2a],
  [0x1e030, 0x1e08f],
  [0x1e4d0, 0x1e4ff],
  [0x1e5d0, 0x1e5ff],
  [0x1e6c0, 0x1e6ff],
  [0x2b739, 0x2b73f],
  [0x2cea2, 0x2ceaf],
  [0x2ebf0, 0x2ee5f],
  [0x31350, 0x3347f],
];

const isSpace = (code: number): boolean =>
  (code >= 0x09 && code <= 0x0d) ||
  (code >= 0x1c && code <= 0x20) ||
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000;

/** `text.strip()` */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** `text.split()` */
export function words(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && !isSpace(text.charCodeAt(at))) continue;
    if (at > start) found.push(text.slice(start, at));
    start = at + 1;
  }
  return found;
}

/** `text[:count]` */
export function head(text: string, count: number): string {
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** `f"{text:<width}"` */
export function padRight(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Array.from(text).length));
}

/** Less than 0 if `a < b`. */
export function compareText(a: string, b: string): number {
  const others = Array.from(b);
  let at = 0;
  for (const character of a) {
    const other: string | undefined = others[at];
    if (other === undefined) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
    at += 1;
  }
  return at - others.length;
}

/** The text with 0 to 9 in place of all decimal digits. */
export function asciiDigits(text: string): string {
  let result = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const zero = code < 0x80 ? undefined : ZEROS.find((first) => code >= first && code < first + 10);
    result += zero === undefined ? character : String(code - zero);
  }
  return result;
}

/** The text with a sign in place of each letter and digit that Python does not know yet. */
export function assigned(text: string): string {
  let result = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const newer = code > 0x880 && NEWER.some(([first, last]) => code >= first && code <= last);
    result += newer ? "\ufffd" : character;
  }
  return result;
}

/**
 * Equal for the names that are equal after `normalize("NFKD", name).casefold()`, but for what is not
 * `isalnum()`.
 */
export function fold(name: string): string {
  let result = "";
  for (const character of assigned(name).normalize("NFKD")) {
    const folded =
      character === "\u0131" ? character : character.toLowerCase().toUpperCase().toLowerCase();
    for (const part of folded) {
      if (/[\p{L}\p{N}]/u.test(part)) result += part;
    }
  }
  return result;
}

/** `round(value)`: half to even. */
export function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

/** `f"{part / whole:.0%}"` */
export const percent = (part: number, whole: number): string =>
  `${String(roundEven((part / whole) * 100))}%`;

/** `cents / 100`, to the nearest float, however large. */
function divide(cents: bigint): number {
  const size = cents < 0n ? -cents : cents;
  if (size <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(cents) / 100;
  const shift = size < 1n << 100n ? 20n : 0n;
  const scaled = size << shift;
  const quotient = scaled / 100n;
  // The lowest bit is far below what a float holds: it only says that there is more.
  const sticky = quotient * 100n === scaled ? quotient : quotient | 1n;
  const result = Number(sticky) / Number(1n << shift);
  return cents < 0n ? -result : result;
}

/** `f"{cents / 100:,.2f}"` */
export function show(cents: bigint): string {
  const sign = cents < 0n ? "-" : "";
  let value = Math.abs(divide(cents));
  if (!Number.isFinite(value)) return `${sign}inf`;
  let shift = 0n;
  while (!Number.isInteger(value)) {
    value *= 2;
    shift += 1n;
  }
  const unit = 1n << shift;
  const scaled = BigInt(value) * 100n;
  let hundredths = scaled / unit;
  const twice = (scaled % unit) * 2n;
  if (twice > unit || (twice === unit && hundredths % 2n === 1n)) hundredths += 1n;
  const digits = hundredths.toString().padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${sign}${whole}.${digits.slice(-2)}`;
}
