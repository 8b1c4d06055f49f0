// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";

export const money = v.object({ amount: v.number(), currency: v.literal("EUR") });
export type Money = Infer<typeof money>;

/** A price as it is stored: euros, or the new form, a whole number of cents. */
export const storedPrice = v.union(v.number(), money);
export type StoredPrice = Infer<typeof storedPrice>;

/** More than any price, in euros and in cents. */
export const BEYOND = 1_000_000_000;

/** Returns a stored price in euros, as clients and all the code know it. */
export function toEuros(price: StoredPrice): number {
  return typeof price === "number" ? price : price.amount / 100;
}

/** The lowest whole number of cents that is at least so many euros. */
export function centsFrom(euros: number): number {
  if (!(euros < 2_000_000)) return BEYOND;
  if (euros <= 0) return 0;
  let cents = Math.ceil(euros * 100);
  while (cents > 0 && (cents - 1) / 100 >= euros) cents -= 1;
  while (cents / 100 < euros) cents += 1;
  return cents;
}

/** The highest whole number of cents that is at most so many euros; -1 if there is none. */
export function centsUpTo(euros: number): number {
  if (!(euros < 2_000_000)) return BEYOND;
  if (euros < 0) return -1;
  let cents = Math.floor(euros * 100);
  while ((cents + 1) / 100 <= euros) cents += 1;
  while (cents / 100 > euros) cents -= 1;
  return cents;
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
  return roundToCents(lines.reduce((sum, line) => sum + line.quantity * toEuros(line.price), 0));
}
