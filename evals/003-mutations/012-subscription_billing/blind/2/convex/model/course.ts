// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { addDays, addMonths, dayOfMonth, daysBetween } from "../lib/days";
import { MAX_PAUSE_DAYS } from "./terms";

/*
 * How subscriptions go on by our terms, without the database.
 */

type Subscription = Doc<"subscriptions">;
type Changes = Partial<Omit<Subscription, "_id" | "_creationTime">>;
type Stretch = Pick<Subscription, "isTrial" | "days" | "end" | "monthDay" | "nextOn">;

function beginPeriod(day: string, months: number, monthDay: number): Stretch {
  const end = addMonths(day, months, monthDay);
  return { isTrial: false, days: daysBetween(day, end), end, monthDay, nextOn: end };
}

/** The trial or, without one, the first period of a subscription that is started on a day. */
export function begin(plan: Doc<"plans">, day: string): Stretch {
  if (plan.trialDays <= 0) return beginPeriod(day, plan.months, dayOfMonth(day));
  const end = addDays(day, plan.trialDays);
  return { isTrial: true, days: plan.trialDays, end, monthDay: dayOfMonth(end), nextOn: end };
}

/** Begins a pause, which ends by itself on the day that is given, if that is not too late. */
export function pauseOn(day: string, until: string | undefined): Changes {
  const latest = addDays(day, MAX_PAUSE_DAYS);
  return { pausedOn: day, nextOn: until !== undefined && until < latest ? until : latest };
}

/** Ends a pause. */
export function resumeOn(
  { end: former, monthDay }: Subscription,
  pausedOn: string,
  day: string,
): Changes {
  const end = addDays(day, daysBetween(pausedOn, former));
  return {
    end,
    monthDay: end === former ? monthDay : dayOfMonth(end),
    pausedOn: undefined,
    nextOn: end,
  };
}

/** What comes by itself on the day `nextOn` of a subscription. */
export function nextStep(
  subscription: Subscription,
  day: string,
  months: number,
): { changes: Changes; isInvoiced: boolean } {
  if (subscription.pausedOn !== undefined) {
    return { changes: resumeOn(subscription, subscription.pausedOn, day), isInvoiced: false };
  }
  if (subscription.isCancelled) return { changes: { nextOn: undefined }, isInvoiced: false };
  return { changes: beginPeriod(day, months, subscription.monthDay), isInvoiced: true };
}

/**
 * Goes on with a subscription to a day, this included, if nobody does anything. Returns how it
 * stands then, but for its price, and the days of the invoices on the way.
 */
export function goOn(
  subscription: Subscription,
  months: number,
  until: string,
): { subscription: Subscription; invoiceDays: string[] } {
  const invoiceDays: string[] = [];
  let present: Subscription = subscription;
  let day = present.nextOn;
  while (day !== undefined && day <= until) {
    const { changes, isInvoiced } = nextStep(present, day, months);
    if (isInvoiced) invoiceDays.push(day);
    present = { ...present, ...changes };
    day = present.nextOn;
  }
  return { subscription: present, invoiceDays };
}

/** The share of a period's price for the days that are left. */
export function shareLeft({ end, days, pausedOn }: Subscription, price: number, day: string): number {
  const left = daysBetween(pausedOn ?? day, end);
  return Math.floor((2 * price * left + days) / (2 * days));
}
