// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { addDays, today } from "../lib/days";
import { refuse } from "../lib/errors";
import { createInvoice } from "./invoices";
import { priceOn } from "./prices";
import { MAX_PAUSE_DAYS } from "./terms";

type Subscription = Doc<"subscriptions">;
export type Invoice = { subscription: Id<"subscriptions">; day: string; amount: number };

export interface Account {
  customer: Id<"customers">;
  /** As they are on the day up to which time has passed. */
  subscriptions: Subscription[];
  invoices: Invoice[];
}

/** The day on which a subscription changes by itself. */
export function nextDayOf({ isEnded, pausedOn, pausedUntil, on, left }: Subscription) {
  if (isEnded) return undefined;
  if (pausedOn === undefined) return addDays(on, left);
  const longest = addDays(pausedOn, MAX_PAUSE_DAYS);
  return pausedUntil !== undefined && pausedUntil < longest ? pausedUntil : longest;
}

/** Counts the days of an account one by one, up to the end of `until` or to so many changes. */
export async function countDays(
  ctx: QueryCtx,
  customer: Id<"customers">,
  until: string,
  most = Infinity,
): Promise<Account> {
  const rows = await ctx.db
    .query("subscriptions")
    .withIndex("by_customer", (q) => q.eq("customer", customer))
    .take(100);
  const subscriptions = rows.map((row) => ({ ...row }));
  const invoices: Invoice[] = [];
  const waiting = subscriptions.map(nextDayOf).filter((day) => day !== undefined);
  let changes = 0;
  const begin = waiting.sort()[0] ?? addDays(until, 1);
  for (let day = begin; day <= until && changes < most; day = addDays(day, 1)) {
    for (const subscription of subscriptions) {
      if (nextDayOf(subscription) !== day || changes >= most) continue;
      changes += 1;
      if (subscription.pausedOn !== undefined) resume(subscription, day);
      else if (subscription.isCancelled) subscription.isEnded = true;
      else invoices.push(await beginPeriod(ctx, subscription, day));
    }
  }
  return { customer, subscriptions, invoices };
}

async function beginPeriod(ctx: QueryCtx, subscription: Subscription, day: string) {
  const plan = (await ctx.db.get("plans", subscription.plan)) ?? refuse("not_found");
  if (subscription.isMoved) subscription.dayOfMonth = new Date(day).getUTCDate();
  subscription.isMoved = false;
  subscription.on = day;
  subscription.days = 0;
  // The days of the period are counted, until one is the last of them.
  const target = new Date(day);
  const month = (target.getUTCMonth() + plan.months) % 12;
  for (;;) {
    subscription.days += 1;
    const next = new Date(addDays(day, subscription.days));
    const tomorrow = new Date(addDays(day, subscription.days + 1));
    if (next.getUTCMonth() !== month || subscription.days < 28 * plan.months) continue;
    const isLast = tomorrow.getUTCMonth() !== month;
    if (isLast || next.getUTCDate() === subscription.dayOfMonth) break;
  }
  subscription.left = subscription.days;
  subscription.price = await priceOn(ctx, plan._id, day);
  return { subscription: subscription._id, day, amount: subscription.price };
}

/** Lets a paused subscription go on. */
export function resume(subscription: Subscription, day: string): void {
  if (day !== subscription.pausedOn) subscription.isMoved = true;
  subscription.on = day;
  subscription.isPaused = false;
  delete subscription.pausedOn;
  delete subscription.pausedUntil;
}

/** How many days of the period or trial are left on a day. */
export function daysLeft({ pausedOn, left, on }: Subscription, day: string): number {
  return pausedOn === undefined ? left - (Date.parse(day) - Date.parse(on)) / 86_400_000 : left;
}

/** Keeps a changed subscription, with the day on which it has to be looked at. */
export async function keep(ctx: MutationCtx, subscription: Subscription): Promise<void> {
  const { nextOn: _former, ...rest } = subscription;
  const nextOn = nextDayOf(subscription);
  const kept = nextOn === undefined ? rest : { ...rest, nextOn };
  await ctx.db.replace("subscriptions", subscription._id, kept);
}

/** Writes down what came by itself up to today; returns whether that is all. */
export async function catchUp(
  ctx: MutationCtx,
  customer: Id<"customers">,
  most = Infinity,
): Promise<number> {
  const account = await countDays(ctx, customer, today(), most);
  for (const subscription of account.subscriptions) await keep(ctx, subscription);
  for (const invoice of account.invoices) {
    await createInvoice(ctx, customer, { ...invoice, text: "Course" });
  }
  return account.subscriptions.length + account.invoices.length;
}
