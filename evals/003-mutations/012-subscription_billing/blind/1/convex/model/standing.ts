// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import { addDays, addMonths, daysBetween, monthDayOf } from "../lib/days";
import { refuse } from "../lib/errors";

/*
 * How a subscription goes on by itself. Nothing here reads or writes the database.
 */

type Subscription = Doc<"subscriptions">;

/** Nobody asks for a day that is more periods ahead than this. */
const MAX_PERIODS = 1000;

/** The day on which the next period begins by itself, if one does. */
export function billsOn({ isCancelled, pause, end }: Subscription): string | undefined {
  if (isCancelled) return undefined;
  return pause === undefined ? end : addDays(pause.endsOn, pause.daysLeft);
}

/** The subscription after its pause, if it has one, has ended on a day. */
export function resumed(subscription: Subscription, day: string): Subscription {
  const { pause, period } = subscription;
  if (pause === undefined) return subscription;
  const end = addDays(day, pause.daysLeft);
  // Later periods go by the new end only if it has moved.
  const hasMoved = end !== subscription.end;
  return {
    ...subscription,
    pause: undefined,
    end,
    period:
      period !== undefined && hasMoved ? { ...period, monthDay: monthDayOf(end) } : period,
  };
}

/** The subscription after its next period has begun. The price is still the former one. */
export function begun(subscription: Subscription): Subscription {
  const { pause } = subscription;
  const former = pause === undefined ? subscription : resumed(subscription, pause.endsOn);
  const from = former.end;
  const monthDay = former.period?.monthDay ?? monthDayOf(from);
  const end = addMonths(from, former.months, monthDay);
  return { ...former, end, period: { days: daysBetween(from, end), monthDay } };
}

/** How the subscription stands on a day, but for its price, if nobody has done anything since. */
export function asOf(subscription: Subscription, day: string): Subscription {
  let now = subscription;
  let next = billsOn(now);
  for (let periods = 0; next !== undefined && next <= day; periods += 1) {
    if (periods === MAX_PERIODS) refuse("invalid");
    now = begun(now);
    next = billsOn(now);
  }
  const { pause } = now;
  return pause !== undefined && pause.endsOn <= day ? resumed(now, pause.endsOn) : now;
}

/** Whether a subscription that stands so on a day has ended. */
export const hasEnded = ({ isCancelled, end }: Subscription, day: string): boolean =>
  isCancelled && end <= day;
