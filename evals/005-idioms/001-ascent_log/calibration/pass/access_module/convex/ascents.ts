// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { requireAscent, requireOwner } from "./access";
import { mutation, query } from "./_generated/server";

const fields = { route: v.string(), grade: v.string(), note: v.nullable(v.string()) };
const entry = v.object({ _id: v.id("ascents"), ...fields });

export const add = mutation({
  args: fields,
  returns: v.id("ascents"),
  handler: async (ctx, { route, grade, note }) => {
    const owner = await requireOwner(ctx);
    return await ctx.db.insert("ascents", { owner, route, grade, note });
  },
});

export const mine = query({
  args: {},
  returns: v.array(entry),
  handler: async (ctx) => {
    const owner = await requireOwner(ctx);
    const log = [];
    const newestFirst = ctx.db
      .query("ascents")
      .withIndex("by_owner", (q) => q.eq("owner", owner))
      .order("desc");
    for await (const { _id, route, grade, note } of newestFirst) {
      log.push({ _id, route, grade, note });
      if (log.length === 20) break;
    }
    return log;
  },
});

export const get = query({
  args: { id: v.id("ascents") },
  returns: entry,
  handler: async (ctx, { id }) => {
    const { _creationTime: _time, owner: _owner, ...shown } = await requireAscent(ctx, id);
    return shown;
  },
});

export const edit = mutation({
  args: {
    id: v.id("ascents"),
    grade: v.optional(fields.grade),
    note: v.optional(fields.note),
  },
  returns: v.null(),
  handler: async (ctx, { id, grade, note }) => {
    const { _id, _creationTime: _time, ...before } = await requireAscent(ctx, id);
    const after = { ...before };
    if (grade !== undefined) after.grade = grade;
    if (note !== undefined) after.note = note;
    await ctx.db.replace("ascents", _id, after);
    return null;
  },
});

export const remove = mutation({
  args: { id: v.id("ascents") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    await requireAscent(ctx, id);
    await ctx.db.delete("ascents", id);
    return null;
  },
});
