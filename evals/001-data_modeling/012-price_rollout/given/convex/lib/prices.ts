// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError } from "convex/values";

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
