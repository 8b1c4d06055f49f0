// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { type Infer, v } from "convex/values";
import { cut, decode, parseDay, readCsv, split, strip } from "./python";

/** A row of a file that is to be booked, with the fields of a line; or the text of no line. */
export const vRow = v.object({
  number: v.number(),
  unreadable: v.optional(v.string()),
  day: v.string(),
  iban: v.string(),
  amount: v.number(),
  payer: v.string(),
  purpose: v.string(),
});
export type Row = Infer<typeof vRow>;

function parseAmount(field: string): number | null {
  const match = /^([+-]?)(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d\d?))?([+-]?)$/.exec(strip(field));
  if (match === null) return null;
  const [, sign, whole, cents, behind] = match;
  const value = Number(whole.replaceAll(".", "")) * 100 + Number((cents ?? "").padEnd(2, "0"));
  return value !== 0 && (sign === "-" || behind === "-") ? -value : value;
}

function parseIban(field: string): string {
  const iban = split(field).join("").toUpperCase();
  if (!/^[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}$/.test(iban)) return "";
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of String(parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1 ? iban : "";
}

/** The rows of a file, or null if it is no statement. */
export function readStatement(data: Uint8Array): Row[] | null {
  const table = readCsv(decode(data), ";");
  const head = table.findIndex((row) => {
    const names = row.map(strip);
    return names.includes("Date") && names.includes("Amount");
  });
  if (head === -1) return null;
  const columns = table[head].map((name) => strip(name).toLowerCase());
  const rows: Row[] = [];
  for (const [index, row] of table.slice(head + 1).entries()) {
    if (row.every((field) => field === "")) continue;
    if (["total", "balance"].includes(strip(row[0]).toLowerCase())) break;
    const fields = new Map(row.slice(0, columns.length).map((field, n) => [columns[n], field]));
    const day = parseDay(fields.get("date") ?? "");
    const amount = parseAmount(fields.get("amount") ?? "");
    const isReadable = day !== null && amount !== null;
    rows.push({
      number: index + 1,
      ...(isReadable ? {} : { unreadable: cut(row.join(";"), 60) }),
      day: day ?? "",
      amount: amount ?? 0,
      iban: parseIban(fields.get("iban") ?? ""),
      payer: strip(fields.get("payer") ?? ""),
      purpose: cut(split(fields.get("purpose") ?? "").join(" "), 140),
    });
  }
  return rows;
}
