// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireAgent } from "./model/agents";
import { readInbox } from "./model/inbox";
import { row } from "./model/rows";

/**
 * A page of all that the lists of emails, chats and calls show at a moment: pinned rows first, then the
 * newest. If wanted, only an agent's rows (or with null nobody's), or those of a channel.
 */
export const page = query({
  args: {
    paginationOpts: paginationOptsValidator,
    now: v.number(),
    assignee: v.optional(v.union(v.id("agents"), v.null())),
    channel: v.optional(v.union(v.literal("email"), v.literal("chat"), v.literal("call"))),
  },
  returns: paginationResultValidator(row),
  handler: async (ctx, { paginationOpts, ...wanted }) => {
    await requireAgent(ctx);
    const { numItems, cursor, endCursor } = paginationOpts;
    return await readInbox(ctx, wanted, { numItems, cursor, endCursor: endCursor ?? null });
  },
});
