// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";

/** A price as it is stored: a whole number of cents. */
export const money = v.object({ amount: v.number(), currency: v.literal("EUR") });

export type Money = Infer<typeof money>;

/*
 * Clients, jobs and all that computes have prices in euros. Only what is stored, and ranges of
 * indexes, have other forms: below.
 */

const DEAREST = 1_000_000;

/**
 * Prices are euros, in whole cents: 12.5 and 19.99 are prices, 0.005 is none. Whatever computes a
 * price rounds it here, so nothing finer is ever stored.
 */
export function roundToCents(euros: number): number {
  return Math.round(euros * 100) / 100;
}

export function checkPrice(price: number): void {
  if (!(price >= 0 && price <= DEAREST) || roundToCents(price) !== price) {
    throw new ConvexError({ code: "bad_price" });
  }
}

export function takeOff(price: number, percent: number): number {
  return roundToCents((price * (100 - percent)) / 100);
}

export function sumLines(lines: { quantity: number; price: number }[]): number {
  return roundToCents(lines.reduce((sum, line) => sum + line.quantity * line.price, 0));
}

export function toEuros(stored: Money): number {
  return stored.amount / 100;
}

export function toStored(euros: number): Money {
  return toMoney(toCents(euros));
}

export function toMoney(cents: number): Money {
  return { amount: cents, currency: "EUR" };
}

export function toCents(price: number): number {
  return Math.round(price * 100);
}

/** Cents below and above every price. */
export const LEAST_CENTS = -1;
export const MOST_CENTS = toCents(DEAREST) + 1;

function clamp(euros: number): number {
  // The database orders NaN behind all other numbers.
  if (Number.isNaN(euros)) return DEAREST + 1;
  return Math.min(Math.max(euros, -1), DEAREST + 1);
}

/** The cents of the lowest price that is at least so many euros. */
export function centsFrom(euros: number): number {
  const least = clamp(euros);
  let cents = Math.ceil(least * 100);
  while ((cents - 1) / 100 >= least) cents--;
  while (cents / 100 < least) cents++;
  return cents;
}

/** The cents of the highest price that is at most so many euros. */
export function centsUpTo(euros: number): number {
  const most = clamp(euros);
  let cents = Math.floor(most * 100);
  while ((cents + 1) / 100 <= most) cents++;
  while (cents / 100 > most) cents--;
  return cents;
}
