// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/**
 * The books. Amounts are whole cents.
 *
 * - `openCents` of a customer is the sum of their open invoices.
 * - `months` has what was received for invoices, and what was returned of it, in each month of UTC:
 *   the month in which the money moved, not the one in which we heard of it.
 * - Money pays an invoice only while it is open. What a customer pays for an invoice that is
 *   already paid, or void, stays theirs: it is `creditCents`, and in no month. What is returned of
 *   such a payment is taken from the credit again.
 *
 * Everything that moves money goes through the functions of this module.
 */
import { ConvexError, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import { query, type MutationCtx } from "./_generated/server";
import { requireStaff } from "./lib/auth";
import { monthOf } from "./lib/time";

/** Write an open invoice. */
export async function issue(
  ctx: MutationCtx,
  invoice: Pick<Doc<"invoices">, "customer" | "number" | "text" | "cents" | "dueAt">,
): Promise<Id<"invoices">> {
  await changeOpen(ctx, invoice.customer, invoice.cents);
  return await ctx.db.insert("invoices", { ...invoice, status: "open", returnedCents: 0 });
}

/** Pay an open invoice with money that came at `at`. */
export async function receive(ctx: MutationCtx, id: Id<"invoices">, at: number): Promise<void> {
  const invoice = await getWith(ctx, id, "open");
  await ctx.db.patch("invoices", id, { status: "paid", paidAt: at });
  await changeOpen(ctx, invoice.customer, -invoice.cents);
  await changeMonth(ctx, at, { receivedCents: invoice.cents });
}

/** Return money of a paid invoice, which went at `at`. */
export async function giveBack(
  ctx: MutationCtx,
  id: Id<"invoices">,
  cents: number,
  at: number,
): Promise<void> {
  const invoice = await getWith(ctx, id, "paid");
  await ctx.db.patch("invoices", id, { returnedCents: invoice.returnedCents + cents });
  await changeMonth(ctx, at, { returnedCents: cents });
}

/** Void an open invoice: it need not be paid any more. */
export async function cancel(ctx: MutationCtx, id: Id<"invoices">): Promise<void> {
  const invoice = await getWith(ctx, id, "open");
  await ctx.db.patch("invoices", id, { status: "void" });
  await changeOpen(ctx, invoice.customer, -invoice.cents);
}

/** Add to a customer's credit, or take from it if `cents` is negative. */
export async function changeCredit(
  ctx: MutationCtx,
  id: Id<"customers">,
  cents: number,
): Promise<void> {
  const customer = await ctx.db.get("customers", id);
  if (customer !== null) {
    await ctx.db.patch("customers", id, { creditCents: customer.creditCents + cents });
  }
}

export const months = query({
  args: {},
  returns: v.array(
    v.object({ month: v.string(), receivedCents: v.number(), returnedCents: v.number() }),
  ),
  handler: async (ctx) => {
    await requireStaff(ctx);
    const rows = await ctx.db.query("months").withIndex("by_month").order("desc").take(24);
    return rows.map(({ month, receivedCents, returnedCents }) => ({
      month,
      receivedCents,
      returnedCents,
    }));
  },
});

async function getWith(
  ctx: MutationCtx,
  id: Id<"invoices">,
  status: Doc<"invoices">["status"],
): Promise<Doc<"invoices">> {
  const invoice = await ctx.db.get("invoices", id);
  if (invoice === null) {
    throw new ConvexError({ code: "not_found" });
  }
  if (invoice.status !== status) {
    throw new ConvexError({ code: "wrong_status", status: invoice.status });
  }
  return invoice;
}

async function changeOpen(ctx: MutationCtx, id: Id<"customers">, cents: number): Promise<void> {
  const customer = await ctx.db.get("customers", id);
  if (customer === null) {
    throw new ConvexError({ code: "not_found" });
  }
  await ctx.db.patch("customers", id, { openCents: customer.openCents + cents });
}

async function changeMonth(
  ctx: MutationCtx,
  at: number,
  by: { receivedCents?: number; returnedCents?: number },
): Promise<void> {
  const month = monthOf(at);
  const row = await ctx.db
    .query("months")
    .withIndex("by_month", (q) => q.eq("month", month))
    .unique();
  const receivedCents = (row?.receivedCents ?? 0) + (by.receivedCents ?? 0);
  const returnedCents = (row?.returnedCents ?? 0) + (by.returnedCents ?? 0);
  if (row === null) {
    await ctx.db.insert("months", { month, receivedCents, returnedCents });
  } else {
    await ctx.db.patch("months", row._id, { receivedCents, returnedCents });
  }
}
