// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalMutation, internalQuery } from "./_generated/server";
import { reasonOf, refuse } from "./lib/attempt";
import { findMember, requireStaff } from "./lib/session";
import { checkMinutes, transfer } from "./model/ledger";

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
        const args = { from, to, minutes: Number(minutes), text };
        await ctx.runMutation(internal.imports.bookLine, args);
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

/** Books a line as a whole: a line in two mutations could end after the first. */
export const bookLine = internalMutation({
  args: { from: v.string(), to: v.string(), minutes: v.number(), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { from, to, minutes, text }) => {
    checkMinutes(minutes);
    const taker = (await findMember(ctx, to)) ?? refuse("not a member");
    const giver = (await findMember(ctx, from)) ?? refuse("not a member");
    await transfer(ctx, { kind: "import", text, from: giver._id, to: taker._id, minutes });
    return null;
  },
});
