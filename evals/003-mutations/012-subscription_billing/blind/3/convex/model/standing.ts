// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { addDays, addMonths, dayOfMonth, daysBetween } from "../lib/days";
import { MAX_PAUSE_DAYS } from "./terms";

type Subscription = Doc<"subscriptions">;

export const shownState = v.union(
  v.literal("trial"),
  v.literal("active"),
  v.literal("paused"),
  v.literal("ended"),
);

export function stateOf({ next, pause, period }: Subscription): Infer<typeof shownState> {
  if (next === null) return "ended";
  if (pause !== null) return "paused";
  return period === null ? "trial" : "active";
}

/** The days that are left of the period or trial, of which a pause keeps those that it began with. */
export const daysLeft = ({ pause, end }: Subscription, day: string): number =>
  daysBetween(pause?.since ?? day, end);

/** A share of a price in whole cents, half a cent up. */
export const share = (price: number, days: number, ofDays: number): number =>
  Math.round((price * days) / ofDays);

/** What changes when a trial begins. One without days is over at once. */
export function trialFrom(day: string, trialDays: number) {
  const end = addDays(day, trialDays);
  return { period: null, pause: null, end, next: end };
}

/** What changes when a period begins. */
export function periodFrom({ period, months }: Subscription, day: string, price: number) {
  const anchor = period?.anchor ?? dayOfMonth(day);
  const end = addMonths(day, months, anchor);
  return { period: { price, days: daysBetween(day, end), anchor }, end, next: end };
}

/** What changes when a pause begins, which ends by itself at the latest on the day `until`. */
export function pauseFrom(day: string, until: string | undefined) {
  const last = addDays(day, MAX_PAUSE_DAYS);
  const next = until !== undefined && until < last ? until : last;
  return { pause: { since: day }, next };
}

/** What changes when a pause ends. */
export function resumeOn(subscription: Subscription, day: string) {
  const { period } = subscription;
  const end = addDays(day, daysLeft(subscription, day));
  const hasMoved = end !== subscription.end;
  return {
    period: period !== null && hasMoved ? { ...period, anchor: dayOfMonth(end) } : period,
    pause: null,
    end,
    next: end,
  };
}

/** What changes when a subscription ends. */
export const ENDED = { pause: null, next: null };
