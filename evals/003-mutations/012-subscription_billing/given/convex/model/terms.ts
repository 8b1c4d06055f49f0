// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";

/*
 * Our terms, as customers have them. What comes by itself on a day comes at its very beginning, before
 * everything that people do on this day.
 *
 * 1. Trial. A subscription begins, on the day on which it is started, with as many free days as its
 *    plan has `trialDays`. After them the first period begins; without such days, at once.
 * 2. Periods. A period has as many months as its plan says, and the next one begins where it ends: on
 *    the day of the month on which the first period began, or on the last day of a shorter month.
 * 3. Price. When a period begins, it is invoiced with the price of its plan on this day.
 * 4. Other plan. Customers may change to a plan with as many months. In a trial that costs nothing,
 *    and the trial stays as long as it was. In a period, the share of the present price for the days
 *    that are left comes back, and the same share of the new plan's price of this day is asked for.
 *    A share is price x days left / days of the whole period; each is rounded on its own, half a cent
 *    up. The difference is invoiced at once or, if more comes back, becomes credit. From then on the
 *    new plan's price of this day is the present price of the period.
 * 5. Days left are counted from this day, which is among them, to the end of the period or trial.
 * 6. Pause. From this day on nothing can be used, and the days left are kept, of a trial as well. A
 *    pause ends when the customer resumes, on the day that the customer gave, or 90 days after it
 *    began, whatever is first. On that day the period or trial goes on, with the days left. A period
 *    has as many days with a pause as it had without. If its end has moved, the new end is what later
 *    periods go by, in place of the beginning of the first one.
 * 7. A change to another plan in a pause is one with the days that are kept.
 * 8. Cancelling. The subscription ends at the end of its period or trial, and nothing comes back. In a
 *    pause it ends at once. Up to the end the customer may take it back; who has cancelled may not
 *    pause, and may change to another plan as before.
 * 9. Credit. An invoice uses up the customer's credit, as far as it reaches. Of invoices that one
 *    customer gets on one day by themselves, that of the subscription which was started first is first.
 */

/** For how many days a subscription can be paused. */
export const MAX_PAUSE_DAYS = 90;

/** Customers may change between plans with periods of the same length. */
export const isSameLength = (one: Doc<"plans">, other: Doc<"plans">): boolean =>
  one.months === other.months;
