// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";

const money = v.object({ amount: v.number(), currency: v.literal("EUR") });

/** A price as it is stored: euros until the rollout, cents with their currency afterwards. */
export const storedPrice = v.union(v.number(), money);

export type StoredPrice = Infer<typeof storedPrice>;

/** The form of what is written. */
export const FORM = "money";

export function toCents(euros: number): number {
  return Math.round(euros * 100);
}

export function inEuros(price: StoredPrice): number {
  return typeof price === "number" ? price : price.amount / 100;
}

export function toStored(euros: number): Infer<typeof money> {
  return { amount: toCents(euros), currency: "EUR" };
}

/**
 * Prices are euros, in whole cents: 12.5 and 19.99 are prices, 0.005 is none. Whatever computes a
 * price rounds it here, so nothing finer is ever stored.
 */
export function roundToCents(euros: number): number {
  return Math.round(euros * 100) / 100;
}

export function checkPrice(price: number): void {
  if (!(price >= 0 && price <= 1_000_000) || roundToCents(price) !== price) {
    throw new ConvexError({ code: "bad_price" });
  }
}

export function takeOff(price: number, percent: number): number {
  return roundToCents((price * (100 - percent)) / 100);
}

export function sumLines(lines: { quantity: number; price: StoredPrice }[]): number {
  return roundToCents(lines.reduce((sum, line) => sum + line.quantity * inEuros(line.price), 0));
}
