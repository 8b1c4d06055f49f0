// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { deleteInvoice, findCustomer } from "./invoices";
import { refuse } from "./refusals";
import { applyAffinity, fold } from "./sqlite";

export interface NewCustomer {
  code: string;
  name: string | null;
  email: string | null;
  terms: string | number | null;
  parent: number | null;
}

export async function findByCode(ctx: QueryCtx, code: string): Promise<Doc<"customers"> | null> {
  return await ctx.db
    .query("customers")
    .withIndex("by_key", (q) => q.eq("key", fold(code)))
    .unique();
}

export function checkName(name: string | null): string {
  if (name === null) refuse("name");
  const { length } = Array.from(name.replace(/^ +| +$/g, ""));
  if (length < 1 || length > 40) refuse("name");
  return name;
}

export function checkTerms(typed: string | number | null): number | null {
  const terms = applyAffinity(typed);
  if (terms === null) return null;
  if (typeof terms === "string" || terms < 0 || terms > 90) refuse("terms");
  return terms;
}

export async function insertCustomer(
  ctx: MutationCtx,
  { code, name, email, terms, parent }: NewCustomer,
): Promise<Doc<"customers"> | null> {
  const checked = { name: checkName(name), terms: checkTerms(terms) };
  const last = await ctx.db.query("customers").withIndex("by_number").order("desc").first();
  const id = (last?.id ?? 0) + 1;
  if ((await findByCode(ctx, code)) !== null) refuse("code");
  if (email !== null) {
    const same = await ctx.db
      .query("customers")
      .withIndex("by_email", (q) => q.eq("email", email))
      .first();
    if (same !== null) refuse("email");
  }
  // A new customer cannot be its own parent, even where its id can be foretold.
  if (parent !== null && (await findCustomer(ctx, parent)) === null) refuse("parent");
  const key = fold(code);
  await ctx.db.insert("customers", { id, code, key, email, parent, owed: 0, ...checked });
  return await findCustomer(ctx, id);
}

export async function listChildren(ctx: QueryCtx, parent: number): Promise<Doc<"customers">[]> {
  return await ctx.db
    .query("customers")
    .withIndex("by_parent", (q) => q.eq("parent", parent))
    .collect();
}

export async function listInvoices(ctx: QueryCtx, customer: number): Promise<Doc<"invoices">[]> {
  return await ctx.db
    .query("invoices")
    .withIndex("by_customer_and_state", (q) => q.eq("customer", customer))
    .collect();
}

export async function deleteCustomer(ctx: MutationCtx, id: number): Promise<number> {
  const customer = await findCustomer(ctx, id);
  if (customer === null) return 0;
  for (const invoice of await listInvoices(ctx, id)) await deleteInvoice(ctx, invoice);
  for (const child of await listChildren(ctx, id)) {
    await ctx.db.patch("customers", child._id, { parent: null });
  }
  await ctx.db.delete("customers", customer._id);
  return 1;
}
