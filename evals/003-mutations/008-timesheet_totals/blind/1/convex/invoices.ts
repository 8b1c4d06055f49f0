// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { mutation, query, type MutationCtx } from "./_generated/server";
import { sum } from "./lib/lists";
import { nextNumber } from "./model/numbers";
import { addToBalance, addToMonth, addToProject } from "./model/totals";

/** Puts what is on no invoice (at most 300 entries) on a new one; null if there is nothing. */
async function issueFor(
  ctx: MutationCtx,
  project: Doc<"projects">,
  month: string,
): Promise<Id<"invoices"> | null> {
  const entries = await ctx.db
    .query("entries")
    .withIndex("by_project_and_invoice", (q) =>
      q.eq("project", project._id).eq("invoice", undefined),
    )
    .take(300);
  if (entries.length === 0) return null;
  const amount = sum(entries, (entry) => entry.amount);
  const invoice = await ctx.db.insert("invoices", {
    project: project._id,
    client: project.client,
    number: await nextNumber(ctx, "invoices"),
    month,
    amount,
    paid: 0,
    state: "open",
  });
  await Promise.all(entries.map(({ _id }) => ctx.db.patch("entries", _id, { invoice })));
  await addToProject(ctx, project._id, { unbilled: -amount });
  await addToMonth(ctx, project.client, month, { billed: amount });
  await addToBalance(ctx, project.client, amount);
  return invoice;
}

export const issue = mutation({
  args: { project: v.id("projects"), month: v.string() },
  returns: v.union(v.id("invoices"), v.null()),
  handler: async (ctx, args) => {
    const project = await ctx.db.get("projects", args.project);
    if (project === null) throw new ConvexError("no_project");
    return await issueFor(ctx, project, args.month);
  },
});

/** One invoice for each project of a client that has something to bill; the number of them. */
export const issueAll = mutation({
  args: { client: v.id("clients"), month: v.string() },
  returns: v.number(),
  handler: async (ctx, { client, month }) => {
    const projects = await ctx.db
      .query("projects")
      .withIndex("by_client", (q) => q.eq("client", client))
      .take(50);
    let issued = 0;
    for (const project of projects) {
      if ((await issueFor(ctx, project, month)) !== null) issued += 1;
    }
    return issued;
  },
});

/** Takes an invoice back, on which nothing was paid. Its entries can be billed again. */
export const voidInvoice = mutation({
  args: { invoice: v.id("invoices") },
  returns: v.null(),
  handler: async (ctx, args) => {
    const invoice = await ctx.db.get("invoices", args.invoice);
    if (invoice === null) throw new ConvexError("no_invoice");
    if (invoice.state !== "open" || invoice.paid > 0) throw new ConvexError("not_open");
    const entries = await ctx.db
      .query("entries")
      .withIndex("by_invoice", (q) => q.eq("invoice", invoice._id))
      .collect();
    for (const entry of entries) {
      await release(ctx, entry);
    }
    await ctx.db.patch("invoices", invoice._id, { state: "void" });
    await addToMonth(ctx, invoice.client, invoice.month, { billed: -invoice.amount });
    await addToBalance(ctx, invoice.client, -invoice.amount);
    return null;
  },
});

async function release(ctx: MutationCtx, entry: Doc<"entries">): Promise<void> {
  await ctx.db.patch("entries", entry._id, { invoice: undefined });
  await addToProject(ctx, entry.project, { unbilled: entry.amount });
}

/** A client's invoices by their number. */
export const ofClient = query({
  args: { client: v.id("clients") },
  returns: v.array(
    v.object({
      _id: v.id("invoices"),
      number: v.number(),
      month: v.string(),
      amount: v.number(),
      paid: v.number(),
      state: v.string(),
    }),
  ),
  handler: async (ctx, { client }) => {
    const invoices = await ctx.db
      .query("invoices")
      .withIndex("by_client", (q) => q.eq("client", client))
      .collect();
    return invoices
      .map(({ _id, number, month, amount, paid, state }) => ({
        _id,
        number,
        month,
        amount,
        paid,
        state,
      }))
      .sort((a, b) => a.number - b.number);
  },
});
