// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "../_generated/api";
import type { Doc, Id } from "../_generated/dataModel";
import type { MutationCtx } from "../_generated/server";
import { salesEndOf } from "./events";

/** Sets when a booking lapses: at a time, or when web sales end if that is earlier. */
export async function setEnd(
  ctx: MutationCtx,
  event: Doc<"events">,
  booking: Id<"bookings">,
  time: number,
): Promise<number> {
  const expiresAt = Math.min(time, salesEndOf(event));
  await ctx.db.patch("bookings", booking, { expiresAt });
  await ctx.scheduler.runAt(expiresAt, internal.ends.lapse, { booking });
  return expiresAt;
}

/** Whether the end of a booking has come, whatever moved it meanwhile. */
export function isOver({ state, expiresAt }: Doc<"bookings">): boolean {
  return state === "pending" && expiresAt !== undefined && expiresAt <= Date.now();
}
