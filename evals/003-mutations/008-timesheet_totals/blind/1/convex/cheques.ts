// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";
import { DAY_MS, monthAt } from "./lib/days";
import { addToBalance, addToMonth } from "./model/totals";

/** Some clients still pay by cheque. One counts when it clears, three days after it came. */
export const deposit = mutation({
  args: { invoice: v.id("invoices"), amount: v.number() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const invoice = await ctx.db.get("invoices", args.invoice);
    if (invoice === null || invoice.state === "void") throw new ConvexError("no_invoice");
    if (!Number.isInteger(args.amount) || args.amount <= 0) throw new ConvexError("bad_amount");
    if (invoice.paid + args.amount > invoice.amount) throw new ConvexError("overpaid");
    await ctx.scheduler.runAfter(3 * DAY_MS, internal.cheques.clear, args);
    return null;
  },
});

/** A cheque for an invoice that is void by then goes back to the client. */
export const clear = internalMutation({
  args: {
    invoice: v.id("invoices"),
    amount: v.number(),
    /** Only of cheques that were deposited before: what was paid by then, which is out of date. */
    paid: v.optional(v.number()),
  },
  returns: v.null(),
  handler: async (ctx, { invoice: id, amount }) => {
    const invoice = await ctx.db.get("invoices", id);
    if (invoice === null || invoice.state === "void") return null;
    const { client } = invoice;
    const paid = invoice.paid + amount;
    const month = monthAt(Date.now());
    await ctx.db.patch("invoices", id, { paid, state: paid >= invoice.amount ? "paid" : "open" });
    await ctx.db.insert("payments", { reference: "cheque", client, amount, month });
    await addToMonth(ctx, client, month, { paid: amount });
    await addToBalance(ctx, client, -amount);
    return null;
  },
});
