// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { type Infer, v } from "convex/values";

/** How far a statement is. */
export const vState = v.union(
  v.literal("reading"),
  v.literal("booking"),
  v.literal("done"),
  v.literal("cancelled"),
  v.literal("refused"),
);

export type State = Infer<typeof vState>;

/** A row of a file that has a day and an amount (cents, as text: a file may have any number). */
export const vPayment = v.object({
  number: v.number(),
  day: v.string(),
  iban: v.string(),
  amount: v.string(),
  payer: v.string(),
  purpose: v.string(),
});

export type Payment = Infer<typeof vPayment>;

/** A row of a file. One without a day or an amount is but the text of its line. */
export const vRow = v.union(v.object({ number: v.number(), text: v.string() }), vPayment);

export type Row = Infer<typeof vRow>;
