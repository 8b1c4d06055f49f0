// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { query } from "./_generated/server";
import { requireAgent } from "./model/agents";
import { partsOf } from "./model/parts";
import { compare, decode, encode, END, START } from "./model/positions";
import { row } from "./model/rows";
import { nextOf, openStreams, type Listed } from "./model/streams";

/**
 * The one inbox: the rows of all lists at a moment, pinned ones first, then the newest. Pages end at
 * positions in that order, whatever is stored there, so that no row is lost or repeated between them.
 */
export const page = query({
  args: {
    paginationOpts: paginationOptsValidator,
    now: v.number(),
    assignee: v.optional(v.union(v.id("agents"), v.null())),
    channel: v.optional(row.fields.channel),
  },
  returns: paginationResultValidator(row),
  handler: async (ctx, { paginationOpts, now, assignee, channel }) => {
    await requireAgent(ctx);
    const { cursor, endCursor, numItems } = paginationOpts;
    const from = cursor === null ? START : decode(cursor);
    const to = endCursor === undefined || endCursor === null ? null : decode(endCursor);
    const streams = openStreams(partsOf(ctx, assignee, channel), from, now);
    const shown: Listed[] = [];
    let end = to ?? END;
    for (;;) {
      const left = to === null ? numItems - shown.length : Infinity;
      const stream = await nextOf(streams, Math.max(1, Math.ceil(left) + 1));
      if (stream === null || compare(stream.ready[0], end) > 0) break;
      if (left <= 0) {
        end = shown.at(-1) ?? from;
        break;
      }
      shown.push(stream.ready[0]);
      stream.ready.shift();
    }
    return {
      page: await Promise.all(shown.map((entry) => entry.row())),
      isDone: compare(end, END) >= 0,
      continueCursor: encode(end),
    };
  },
});
