// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { asciiDigits, head, show, strip, words } from "./python";
import type { Row } from "./validators";

/** Python's csv module refuses longer fields. */
const MAX_FIELD = 131_072;
/** Python's int() refuses more digits. */
const MAX_DIGITS = 4300;
/** Eight weeks before an earlier day there is no day in Python. */
const FIRST_DAY_TO_TAKE_BACK = "0001-02-26";

const ENDS: ReadonlySet<string> = new Set(["total", "balance"]);

/** The bytes 0x80 to 0x9f in Python's cp1252. */
const HIGH: readonly number[] = [
  0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
  0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
  0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
];

class TextBuilder {
  private readonly parts: string[] = [];
  private codes: number[] = [];

  add(code: number): void {
    this.codes.push(code);
    if (this.codes.length === 4096) this.flush();
  }

  end(): string {
    this.flush();
    return this.parts.join("");
  }

  private flush(): void {
    this.parts.push(String.fromCodePoint(...this.codes));
    this.codes = [];
  }
}

/** How many bytes follow this one in UTF-8, -1 if it begins nothing. */
function followers(lead: number): number {
  if (lead < 0x80) return 0;
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  if (lead >= 0xf0 && lead <= 0xf4) return 3;
  return -1;
}

/** Without a byte order mark. `null` if the bytes are no UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const text = new TextBuilder();
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const count = followers(lead);
    if (count < 0 || at + count >= bytes.length) return null;
    let code = count === 0 ? lead : lead & (0x3f >> count);
    for (let next = at + 1; next <= at + count; next += 1) {
      const byte = bytes[next] ?? 0;
      if ((byte & 0xc0) !== 0x80) return null;
      code = (code << 6) | (byte & 0x3f);
    }
    if (count === 2 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff))) return null;
    if (count === 3 && (code < 0x10000 || code > 0x10ffff)) return null;
    text.add(code);
    at += count + 1;
  }
  return text.end();
}

function decodeCp1252(bytes: Uint8Array): string {
  const text = new TextBuilder();
  for (const byte of bytes) {
    text.add(byte >= 0x80 && byte <= 0x9f ? (HIGH[byte - 0x80] ?? 0xfffd) : byte);
  }
  return text.end();
}

const decode = (bytes: Uint8Array): string => decodeUtf8(bytes) ?? decodeCp1252(bytes);

/** The rows of Python's `csv.reader`, and `null` in the end if it raises an error. */
function* splitRows(text: string): Generator<string[] | null, void, undefined> {
  let row: string[] = [];
  let field = "";
  let size = 0;
  /** At the start of a record or of a field, in a field, in quotes, or after a quote in quotes. */
  let state: "record" | "field" | "plain" | "quoted" | "quote" = "record";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (state === "quoted") {
      if (character === '"') {
        state = "quote";
        continue;
      }
    } else if (character === "\n" || character === "\r") {
      if (state !== "record") row.push(field);
      if (character === "\r" && text.charAt(at + 1) === "\n") at += 1;
      yield row;
      row = [];
      field = "";
      size = 0;
      state = "record";
      continue;
    } else if (character === ";") {
      row.push(field);
      field = "";
      size = 0;
      state = "field";
      continue;
    } else if (character === '"' && (state === "record" || state === "field")) {
      state = "quoted";
      continue;
    } else {
      state = character === '"' && state === "quote" ? "quoted" : "plain";
    }
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff) {
      if (size === MAX_FIELD) {
        yield null;
        return;
      }
      size += 1;
    }
    field += character;
  }
  if (state !== "record") {
    row.push(field);
    yield row;
  }
}

/** Cents. */
function parseAmount(text: string): bigint | null {
  const match = /^([+-]?)(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d\d?))?([+-]?)$/.exec(
    asciiDigits(strip(text)),
  );
  if (match === null) return null;
  const [, sign = "", whole = "", cents = "", signBehind = ""] = match;
  const digits = whole.split(".").join("");
  if (digits.length > MAX_DIGITS) return null;
  const value = BigInt(digits) * 100n + BigInt(cents.padEnd(2, "0"));
  return sign === "-" || signBehind === "-" ? -value : value;
}

/** An ISO day. */
function parseDay(text: string): string | null {
  const parts = strip(text).split(".");
  if (parts.length !== 3) return null;
  const [first = "", month = "", last = ""] = parts;
  // Python takes the digits of other scripts in the year, and behind a 1 or 2 in the day.
  const second = asciiDigits(first.slice(1));
  const day = /^[12]/.test(first) && /^\d$/.test(second) ? first.charAt(0) + second : first;
  const year = asciiDigits(last);
  if (!/^(?:3[01]|[12]\d|0?[1-9])$/.test(day)) return null;
  if (!/^(?:1[0-2]|0?[1-9])$/.test(month)) return null;
  if (!/^(?:\d\d|\d{4})$/.test(year)) return null;
  let fullYear = Number(year);
  if (year.length === 2) fullYear += fullYear <= 68 ? 2000 : 1900;
  if (fullYear < 1) return null;
  const date = new Date(0);
  date.setUTCFullYear(fullYear, Number(month) - 1, Number(day));
  return date.getUTCDate() === Number(day) ? date.toISOString().slice(0, 10) : null;
}

/** "" for what is no IBAN. */
function parseIban(text: string): string {
  const iban = words(text).join("").toUpperCase();
  if (!/^[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}$/.test(iban)) return "";
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1 ? iban : "";
}

/** `null` where the script would raise an error. */
function readRow(number: number, row: string[], fields: ReadonlyMap<string, string>): Row | null {
  const day = parseDay(fields.get("date") ?? "");
  const amount = parseAmount(fields.get("amount") ?? "");
  if (day === null || amount === null) {
    return { number, text: `${String(number).padStart(4)} ? ${head(row.join(";"), 60)}` };
  }
  if (!Number.isFinite(Number(amount))) return null;
  if (amount < 0n && day < FIRST_DAY_TO_TAKE_BACK) return null;
  return {
    number,
    day,
    iban: parseIban(fields.get("iban") ?? ""),
    amount: amount.toString(),
    payer: strip(fields.get("payer") ?? ""),
    purpose: head(words(fields.get("purpose") ?? "").join(" "), 140),
  };
}

/** The rows that become lines. `null` if the script would raise an error for the file. */
export function readFile(bytes: Uint8Array): Row[] | null {
  let columns: string[] | null = null;
  let number = 0;
  let total = 0n;
  const rows: Row[] = [];
  for (const row of splitRows(decode(bytes))) {
    if (row === null) return null;
    if (columns === null) {
      const names = row.map(strip);
      if (names.includes("Date") && names.includes("Amount")) {
        columns = names.map((name) => name.toLowerCase());
      }
      continue;
    }
    number += 1;
    if (row.every((field) => field === "")) continue;
    if (ENDS.has(strip(row[0] ?? "").toLowerCase())) break;
    const fields = new Map<string, string>();
    for (const [index, column] of columns.entries()) {
      const field: string | undefined = row[index];
      if (field !== undefined) fields.set(column, field);
    }
    const read = readRow(number, row, fields);
    if (read === null) return null;
    if ("amount" in read) {
      total += BigInt(read.amount);
      // Python has no float for such a sum.
      if (show(total).endsWith("inf")) return null;
    }
    rows.push(read);
  }
  return columns === null ? null : rows;
}
