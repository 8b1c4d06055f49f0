// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** What the script takes from Python. */

const SPACES = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const AROUND = new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, "g");
const BETWEEN = new RegExp(`[${SPACES}]+`);

export const strip = (text: string): string => text.replace(AROUND, "");

export const split = (text: string): string[] => {
  const stripped = strip(text);
  return stripped === "" ? [] : stripped.split(BETWEEN);
};

/** The first characters: code points, not UTF-16 units. */
export const cut = (text: string, length: number): string =>
  Array.from(text).slice(0, length).join("");

export const padRight = (text: string, length: number): string =>
  text + " ".repeat(Math.max(0, length - Array.from(text).length));

/** Names as they are compared: `casefold` differs from small letters in these. */
export const fold = (name: string): string =>
  Array.from(name.normalize("NFKD"))
    .map((character) => character.toLowerCase().replace("ß", "ss").replace("ς", "σ"))
    .join("")
    .replace(/[^\p{L}\p{N}]/gu, "");

/** `round`: halves to the even number. */
export function round(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return rest < 0.5 ? floor : floor + 1;
}

/** `f"{cents / 100:,.2f}"` */
export function show(cents: number): string {
  const size = Math.abs(cents);
  const whole = String(Math.floor(size / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}${whole}.${String(size % 100).padStart(2, "0")}`;
}

const CP1252 =
  "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ";

export function decode(data: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return Array.from(data, (byte) =>
      byte >= 0x80 && byte < 0xa0 ? CP1252[byte - 0x80] : String.fromCharCode(byte),
    ).join("");
  }
}

/** Rows as `csv.reader` reads them, of a text whose line ends were not changed. */
export function readCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let state: "row" | "field" | "plain" | "quoted" | "quote" = "row";
  const endRow = () => {
    if (state !== "row") row.push(field);
    rows.push(row);
    row = [];
    field = "";
    state = "row";
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (state === "quoted") {
      if (character === '"') state = "quote";
      else field += character;
    } else if (character === '"' && state !== "plain") {
      if (state === "quote") field += '"';
      state = "quoted";
    } else if (character === "\r" || character === "\n") {
      if (character === "\r" && text[at + 1] === "\n") at++;
      endRow();
    } else if (character === delimiter) {
      row.push(field);
      field = "";
      state = "field";
    } else {
      field += character;
      state = "plain";
    }
  }
  if (state !== "row") endRow();
  return rows;
}

/** A day of `strptime` with "%d.%m.%Y", or "%y" where the year has two digits; null for no day. */
export function parseDay(field: string): string | null {
  const match = /^(\d\d?| \d)\.(\d\d?)\.(\d{4}|\d\d)$/.exec(strip(field));
  if (match === null) return null;
  const [day, month] = [Number(match[1]), Number(match[2])];
  let year = Number(match[3]);
  if (match[3].length === 2) year += year < 69 ? 2000 : 1900;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year === 0 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
