// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { internalMutation, mutation, query } from "./_generated/server";
import { findDocument, requireDocument, requireMember, requireUser } from "./model/access";

/** Members are reminded of a document, each for themselves. */
export const set = mutation({
  args: { document: v.id("documents"), text: v.string(), at: v.number() },
  returns: v.id("reminders"),
  handler: async (ctx, { document: id, text, at }): Promise<Id<"reminders">> => {
    const { document, member } = await requireDocument(ctx, id);
    const args = { document: document._id, member: member._id, text };
    const job = await ctx.scheduler.runAt(at, internal.reminders.send, args);
    return await ctx.db.insert("reminders", { ...args, at, job });
  },
});

/** What I will be reminded of, the next first. */
export const mine = query({
  args: { workspace: v.id("workspaces") },
  returns: v.array(v.object({ id: v.id("reminders"), title: v.string(), text: v.string() })),
  handler: async (ctx, { workspace }) => {
    const member = await requireMember(ctx, workspace);
    const reminders = await ctx.db
      .query("reminders")
      .withIndex("by_member", (q) => q.eq("member", member._id))
      .collect();
    const rows = await Promise.all(
      reminders.map(async ({ _id, document: id, text }) => {
        const document = await ctx.db.get("documents", id);
        if (document?.trash !== undefined) return null;
        return { id: _id, title: document?.title ?? "", text };
      }),
    );
    return rows.filter((row) => row !== null);
  },
});

export const cancel = mutation({
  args: { reminder: v.id("reminders") },
  returns: v.null(),
  handler: async (ctx, { reminder: id }) => {
    const user = await requireUser(ctx);
    const reminder = await ctx.db.get("reminders", id);
    const member = reminder === null ? null : await ctx.db.get("members", reminder.member);
    if (reminder === null || member?.user !== user) throw new ConvexError("not found");
    const document = await ctx.db.get("documents", reminder.document);
    if (document?.trash !== undefined) throw new ConvexError("not found");
    await ctx.scheduler.cancel(reminder.job);
    await ctx.db.delete("reminders", id);
    return null;
  },
});

/** Reminds a member. Of a document in the trash nobody is reminded, also not later. */
export const send = internalMutation({
  args: { document: v.id("documents"), member: v.id("members"), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { document: id, member, text }) => {
    const due = await ctx.db
      .query("reminders")
      .withIndex("by_member", (q) => q.eq("member", member).lte("at", Date.now()))
      .collect();
    for (const reminder of due)
      if (reminder.document === id && reminder.text === text)
        await ctx.db.delete("reminders", reminder._id);
    const document = await findDocument(ctx, id);
    if (document !== null)
      await ctx.db.insert("notices", { member, text: `Reminder: ${document.title}: ${text}` });
    return null;
  },
});
