// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { attempt, refuse } from "./lib/attempt";
import { findMember, requireMember, requireStaff } from "./lib/session";
import { CHEST, findChest, makeChest } from "./model/chest";
import { checkEntries, transfer } from "./model/ledger";

const CREDIT = 120;

export const join = mutation({
  args: { name: v.string() },
  returns: v.id("members"),
  handler: async (ctx, { name }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (identity === null || identity.subject === CHEST) refuse("not signed in");
    const { subject } = identity;
    const member = await findMember(ctx, subject);
    if (member !== null) return member._id;
    const fresh = { subject, name, balance: 0, credit: CREDIT, frozen: false };
    return await ctx.db.insert("members", fresh);
  },
});

export const me = query({
  args: {},
  handler: async (ctx) => {
    const { _id, name, balance, frozen } = await requireMember(ctx);
    return { id: _id, name, balance, frozen };
  },
});

export const freeze = mutation({
  args: { member: v.id("members"), frozen: v.boolean() },
  returns: v.null(),
  handler: async (ctx, { member, frozen }) => {
    await requireStaff(ctx);
    await ctx.db.patch("members", member, { frozen });
    return null;
  },
});

/** Leaves the time bank. Open tasks and standing orders go; tasks that are done must be settled. */
export const leave = mutation({
  args: {},
  returns: v.object({ ok: v.boolean(), reason: v.nullable(v.string()) }),
  handler: async (ctx) => {
    const { _id, name, balance } = await requireMember(ctx);
    const open = [];
    const tasks = ctx.db.query("tasks").withIndex("by_customer", (q) => q.eq("customer", _id));
    for await (const task of tasks) {
      if (task.state === "done") return { ok: false, reason: "a task is not settled" };
      if (task.state === "open") open.push(task._id);
    }
    if (balance !== 0) {
      const given = await attempt(async () => {
        const known = await findChest(ctx);
        // Only the member can be refused if the chest is new: it is not made before that is known.
        if (known === null) await checkEntries(ctx, [{ member: _id, minutes: -balance }]);
        const chest = known === null ? await makeChest(ctx) : known._id;
        const both = balance > 0 ? { from: _id, to: chest } : { from: chest, to: _id };
        const minutes = Math.abs(balance);
        await transfer(ctx, { kind: "leaving", text: `${name} leaves`, minutes, ...both });
      });
      if (!given.ok) return { ok: false, reason: given.reason };
    }
    for (const task of open) await ctx.db.delete("tasks", task);
    const orders = ctx.db.query("orders").withIndex("by_from", (q) => q.eq("from", _id));
    for await (const order of orders) await ctx.db.delete("orders", order._id);
    await ctx.db.delete("members", _id);
    return { ok: true, reason: null };
  },
});
