// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { v } from "convex/values";

import { mutation, query } from "./_generated/server";
import schema from "./schema";

const crossing = schema.tables.crossings.validator;

export const ofLine = query({
  args: { line: crossing.fields.line, paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(
    v.object({ ...crossing.fields, _id: v.id("crossings"), _creationTime: v.number() }),
  ),
  handler: (ctx, { line, paginationOpts }) =>
    ctx.db
      .query("crossings")
      .withIndex("by_line", (q) => q.eq("line", line))
      .order("desc")
      .paginate(paginationOpts),
});

export const log = mutation({
  args: crossing,
  returns: v.id("crossings"),
  handler: (ctx, entry) => ctx.db.insert("crossings", entry),
});
