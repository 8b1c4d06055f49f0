// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { MutationCtx } from "../_generated/server";
import { findInvoice, updateInvoice } from "./invoices";
import { refuse, type Policy } from "./refusals";

export interface NewPayment {
  invoice: number | null;
  ref: string | null;
  day: string | null;
  /** After the column's affinity was applied. */
  cents: string | number;
  method: string | null;
}

/** Inserts a payment, with its trigger; null if the policy left the row out. */
export async function insertPayment(
  ctx: MutationCtx,
  { invoice, ref, day, cents, method }: NewPayment,
  policy: Policy,
): Promise<number | null> {
  if (day === null || typeof cents === "string" || !Number.isInteger(cents) || cents === 0) {
    if (policy === "ignore") return null;
    refuse("no payment");
  }
  const last = await ctx.db.query("payments").withIndex("by_number").order("desc").first();
  const id = (last?.id ?? 0) + 1;
  if (ref !== null && method !== null) {
    const same = await ctx.db
      .query("payments")
      .withIndex("by_ref_and_method", (q) => q.eq("ref", ref).eq("method", method))
      .unique();
    if (same !== null) {
      if (policy === "ignore") return null;
      if (policy === "abort") refuse("the payment is known");
      // Without the trigger payments_removed: recursive_triggers is off.
      await ctx.db.delete("payments", same._id);
    }
  }
  if (invoice !== null && (await findInvoice(ctx, invoice)) === null) refuse("no such invoice");
  await ctx.db.insert("payments", { id, invoice, ref, day, cents, method });

  // The policy of the statement takes the place of those in the trigger.
  await insertEntry(
    ctx,
    { kind: "payment", ref, day, cents },
    policy === "abort" ? "replace" : policy,
  );
  if (invoice === null) return id;
  const before = await findInvoice(ctx, invoice);
  if (before === null) return id;
  await updateInvoice(ctx, before, { paid: before.paid + cents }, policy);
  const after = await findInvoice(ctx, invoice);
  if (after !== null && after.state !== "draft" && after.state !== "void") {
    const isPaid = after.total !== null && after.paid >= after.total;
    await updateInvoice(ctx, after, { state: isPaid ? "paid" : "open" }, policy);
  }
  return id;
}

export async function deletePayment(ctx: MutationCtx, number: number): Promise<number> {
  const payment = await ctx.db
    .query("payments")
    .withIndex("by_number", (q) => q.eq("id", number))
    .unique();
  if (payment === null) return 0;
  await ctx.db.delete("payments", payment._id);
  const { ref, day, cents } = payment;
  await insertEntry(ctx, { kind: "removal", ref, day, cents: -cents }, "abort");
  const invoice = payment.invoice === null ? null : await findInvoice(ctx, payment.invoice);
  if (invoice !== null) {
    const { total, paid, state } = invoice;
    // The state is judged by what was paid before.
    const stays = state !== "paid" || (total !== null && paid >= total);
    await updateInvoice(ctx, invoice, { paid: paid - cents, state: stays ? state : "open" });
  }
  return 1;
}

async function insertEntry(
  ctx: MutationCtx,
  entry: { kind: string; ref: string | null; day: string; cents: number },
  policy: Policy,
): Promise<void> {
  const last = await ctx.db.query("journal").withIndex("by_number").order("desc").first();
  if (entry.ref !== null) {
    const same = await ctx.db
      .query("journal")
      .withIndex("by_kind_and_ref", (q) => q.eq("kind", entry.kind).eq("ref", entry.ref))
      .unique();
    if (same !== null) {
      if (policy === "ignore") return;
      if (policy === "abort") refuse("the entry is known");
      await ctx.db.delete("journal", same._id);
    }
  }
  await ctx.db.insert("journal", { ...entry, id: (last?.id ?? 0) + 1 });
}
