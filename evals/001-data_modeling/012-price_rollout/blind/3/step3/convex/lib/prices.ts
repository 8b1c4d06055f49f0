// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v, type Infer } from "convex/values";

/** How prices are stored: a whole number of cents. */
export const money = v.object({ amount: v.number(), currency: v.literal("EUR") });

export type Money = Infer<typeof money>;

export function eur(amount: number): Money {
  return { amount, currency: "EUR" };
}

/** The euros of a stored price, in which everything is computed and told. */
export function toEuros(price: Money): number {
  return price.amount / 100;
}

/** The form in which a price is written. */
export function toStored(euros: number): Money {
  return eur(Math.round(euros * 100));
}

/** The lowest whole number of cents that is at least so many euros. */
export function leastCents(euros: number): number {
  const cents = Math.round(euros * 100);
  return cents / 100 < euros ? cents + 1 : cents;
}

/** The highest whole number of cents that is at most so many euros. */
export function mostCents(euros: number): number {
  const cents = Math.round(euros * 100);
  return cents / 100 > euros ? cents - 1 : cents;
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

export function sumLines(lines: { quantity: number; price: number }[]): number {
  return roundToCents(lines.reduce((sum, line) => sum + line.quantity * line.price, 0));
}
