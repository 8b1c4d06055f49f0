// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { action, internalMutation, internalQuery } from "./_generated/server";
import { reasonOf, refuse } from "./lib/attempt";
import { findMember, requireStaff } from "./lib/session";
import { checkMinutes, enter, openBooking } from "./model/ledger";

/**
 * Books lines of a paper list, such as "ada;bo;30;Ironing": ada gives bo 30 minutes. Returns the
 * numbers of the lines that could not be booked, beginning with 1.
 */
export const run = action({
  args: { lines: v.array(v.string()) },
  returns: v.array(v.number()),
  handler: async (ctx, { lines }) => {
    await ctx.runQuery(internal.imports.check, {});
    const failed: number[] = [];
    for (const [index, line] of lines.entries()) {
      const [from = "", to = "", minutes = "", text = ""] = line.split(";");
      try {
        const args = { member: to, minutes: Number(minutes), text };
        const booking: Id<"bookings"> = await ctx.runMutation(internal.imports.begin, args);
        await ctx.runMutation(internal.imports.complete, {
          booking,
          member: from,
          minutes: -Number(minutes),
        });
      } catch (error) {
        reasonOf(error);
        failed.push(index + 1);
      }
    }
    return failed;
  },
});

export const check = internalQuery({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    await requireStaff(ctx);
    return null;
  },
});

export const begin = internalMutation({
  args: { member: v.string(), minutes: v.number(), text: v.string() },
  returns: v.id("bookings"),
  handler: async (ctx, { member: subject, minutes, text }) => {
    checkMinutes(minutes);
    const member = (await findMember(ctx, subject)) ?? refuse("not a member");
    const booking = await openBooking(ctx, "import", text, 2);
    await enter(ctx, booking, member._id, minutes);
    return booking;
  },
});

export const complete = internalMutation({
  args: { booking: v.id("bookings"), member: v.string(), minutes: v.number() },
  returns: v.null(),
  handler: async (ctx, { booking, member: subject, minutes }) => {
    const member = (await findMember(ctx, subject)) ?? refuse("not a member");
    await enter(ctx, booking, member._id, minutes);
    return null;
  },
});
