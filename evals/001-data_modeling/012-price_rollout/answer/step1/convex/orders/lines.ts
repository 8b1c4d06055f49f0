// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { FORM, inEuros, toStored } from "../lib/prices";

/** What is stored of an order's lines: all of them have the form that is written now. */
export function storeLines(lines: Doc<"orders">["lines"]): Pick<Doc<"orders">, "lines" | "form"> {
  const stored = lines.map((line) => ({ ...line, price: toStored(inEuros(line.price)) }));
  return { lines: stored, form: FORM };
}
