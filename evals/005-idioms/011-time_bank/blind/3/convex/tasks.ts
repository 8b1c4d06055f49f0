// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query } from "./_generated/server";
import type { QueryCtx } from "./_generated/server";
import { attempt, refuse } from "./lib/attempt";
import { requireMember } from "./lib/session";
import { checkMinutes, transfer } from "./model/ledger";

async function getTask(ctx: QueryCtx, id: Id<"tasks">, state: Doc<"tasks">["state"]) {
  const task = (await ctx.db.get("tasks", id)) ?? refuse("no such task");
  if (task.state !== state) refuse(`the task is ${task.state}`);
  return task;
}

/** Asks a member for help. */
export const ask = mutation({
  args: { helper: v.id("members"), title: v.string(), minutes: v.number() },
  returns: v.id("tasks"),
  handler: async (ctx, { helper, title, minutes }) => {
    const { _id: customer } = await requireMember(ctx);
    checkMinutes(minutes);
    if (helper === customer) refuse("that is you");
    return await ctx.db.insert("tasks", { customer, helper, title, minutes, state: "open" });
  },
});

/** The helper has done a task. */
export const finish = mutation({
  args: { task: v.id("tasks") },
  returns: v.null(),
  handler: async (ctx, { task: id }) => {
    const member = await requireMember(ctx);
    const task = await getTask(ctx, id, "open");
    if (task.helper !== member._id) refuse("not your task");
    await ctx.db.patch("tasks", id, { state: "done" });
    return null;
  },
});

/** The customer gives the minutes for a task that is done. */
export const settle = mutation({
  args: { task: v.id("tasks") },
  returns: v.object({ ok: v.boolean(), reason: v.nullable(v.string()) }),
  handler: async (ctx, { task: id }) => {
    const member = await requireMember(ctx);
    const task = await getTask(ctx, id, "done");
    if (task.customer !== member._id) refuse("not your task");
    const { title: text, customer: from, helper: to, minutes } = task;
    const paid = await attempt(() => transfer(ctx, { kind: "task", text, from, to, minutes }));
    if (!paid.ok) return { ok: false, reason: paid.reason };
    await ctx.db.patch("tasks", id, { state: "settled", booking: paid.value });
    return { ok: true, reason: null };
  },
});

/** The tasks for which the caller asked. */
export const mine = query({
  args: {},
  handler: async (ctx) => {
    const member = await requireMember(ctx);
    const tasks = await ctx.db
      .query("tasks")
      .withIndex("by_customer", (q) => q.eq("customer", member._id))
      .order("desc")
      .take(50);
    return tasks.map(({ _id, title, minutes, state }) => ({ id: _id, title, minutes, state }));
  },
});
