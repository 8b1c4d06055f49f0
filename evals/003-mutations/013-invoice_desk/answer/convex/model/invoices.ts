// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { refuse, type Policy } from "./refusals";
import { sum } from "./sqlite";

export type Invoice = Doc<"invoices">;

export async function findInvoice(ctx: QueryCtx, id: number): Promise<Invoice | null> {
  return await ctx.db
    .query("invoices")
    .withIndex("by_number", (q) => q.eq("id", id))
    .unique();
}

export async function findCustomer(
  ctx: QueryCtx,
  id: number,
): Promise<Doc<"customers"> | null> {
  return await ctx.db
    .query("customers")
    .withIndex("by_number", (q) => q.eq("id", id))
    .unique();
}

export async function listLines(ctx: QueryCtx, invoice: number): Promise<Doc<"lines">[]> {
  return await ctx.db
    .query("lines")
    .withIndex("by_invoice_and_number", (q) => q.eq("invoice", invoice))
    .collect();
}

async function hasDraft(ctx: QueryCtx, customer: number): Promise<boolean> {
  const draft = await ctx.db
    .query("invoices")
    .withIndex("by_customer_and_state", (q) => q.eq("customer", customer).eq("state", "draft"))
    .first();
  return draft !== null;
}

export async function insertInvoice(
  ctx: MutationCtx,
  customer: number,
  note: string | null,
): Promise<number> {
  if ((await findCustomer(ctx, customer)) === null) refuse("no such customer");
  if (await hasDraft(ctx, customer)) refuse("one draft");
  // AUTOINCREMENT: an id is never used again, not even that of a deleted invoice.
  const sequence = await ctx.db.query("sequences").first();
  const id = (sequence?.invoices ?? 0) + 1;
  if (sequence === null) await ctx.db.insert("sequences", { invoices: id });
  else await ctx.db.patch("sequences", sequence._id, { invoices: id });
  await ctx.db.insert("invoices", {
    ...{ id, customer, number: null, issued: null, due: null, state: "draft" as const },
    ...{ total: 0, paid: 0, note },
  });
  return id;
}

type Changes = Partial<Omit<Invoice, "_id" | "_creationTime" | "id">>;

/** Updates an invoice, unless the conflict policy leaves it out. */
export async function updateInvoice(
  ctx: MutationCtx,
  invoice: Invoice,
  changes: Changes,
  policy: Policy = "abort",
): Promise<void> {
  const { number, paid, customer } = changes;
  if (paid !== undefined && paid < 0) {
    if (policy === "ignore") return;
    refuse("paid >= 0");
  }
  if (number !== undefined && number !== null) {
    const other = await ctx.db
      .query("invoices")
      .withIndex("by_text", (q) => q.eq("number", number))
      .first();
    if (other !== null && other._id !== invoice._id) refuse("number is taken");
  }
  if (customer !== undefined && customer !== invoice.customer) {
    if ((await findCustomer(ctx, customer)) === null) refuse("no such customer");
    if (invoice.state === "draft" && (await hasDraft(ctx, customer))) refuse("one draft");
  }
  await ctx.db.patch("invoices", invoice._id, changes);
  // The trigger owed_follows: whenever a statement sets the state, even to what it was.
  if (changes.state !== undefined) await refreshOwed(ctx, customer ?? invoice.customer);
}

async function refreshOwed(ctx: MutationCtx, id: number): Promise<void> {
  const customer = await findCustomer(ctx, id);
  if (customer === null) return;
  const open = await ctx.db
    .query("invoices")
    .withIndex("by_customer_and_state", (q) => q.eq("customer", id).eq("state", "open"))
    .collect();
  const rests = open.map(({ total, paid }) => (total === null ? null : total - paid));
  await ctx.db.patch("customers", customer._id, { owed: sum(rests) ?? 0 });
}

export async function deleteInvoice(ctx: MutationCtx, invoice: Invoice): Promise<void> {
  if (invoice.number !== null) refuse("a number must not get lost");
  const payment = await ctx.db
    .query("payments")
    .withIndex("by_invoice", (q) => q.eq("invoice", invoice.id))
    .first();
  if (payment !== null) refuse("the invoice has payments");
  await ctx.db.delete("invoices", invoice._id);
  for (const line of await listLines(ctx, invoice.id)) await ctx.db.delete("lines", line._id);
  const reminders = await ctx.db
    .query("reminders")
    .withIndex("by_invoice_and_level", (q) => q.eq("invoice", invoice.id))
    .collect();
  for (const reminder of reminders) await ctx.db.delete("reminders", reminder._id);
  await deleteInstalments(ctx, invoice.id);
}

export async function listInstalments(
  ctx: QueryCtx,
  invoice: number,
): Promise<Doc<"instalments">[]> {
  return await ctx.db
    .query("instalments")
    .withIndex("by_invoice_and_position", (q) => q.eq("invoice", invoice))
    .collect();
}

export async function deleteInstalments(ctx: MutationCtx, invoice: number): Promise<void> {
  for (const part of await listInstalments(ctx, invoice)) {
    await ctx.db.delete("instalments", part._id);
  }
}
