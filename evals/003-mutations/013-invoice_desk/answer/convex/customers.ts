// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import {
  checkName,
  checkTerms,
  deleteCustomer,
  findByCode,
  insertCustomer,
  listChildren,
  listInvoices,
} from "./model/customers";
import { findCustomer, updateInvoice } from "./model/invoices";
import { refuse } from "./model/refusals";
import { compare, compareTexts, fold, isLike } from "./model/sqlite";

const maybeText = v.union(v.string(), v.null());
const maybeNumber = v.union(v.number(), v.null());

export const add = mutation({
  args: {
    code: v.string(),
    name: v.string(),
    email: maybeText,
    terms: maybeText,
    parent: maybeNumber,
  },
  handler: async (ctx, args) => {
    const customer = await insertCustomer(ctx, args);
    return customer === null
      ? []
      : [{ id: customer.id, code: customer.code, terms: customer.terms }];
  },
});

export const load = mutation({
  args: {
    rows: v.array(
      v.object({
        code: v.string(),
        name: maybeText,
        terms: v.union(v.string(), v.number(), v.null()),
      }),
    ),
  },
  handler: async (ctx, { rows }) => {
    let changed = 0;
    for (const { code, name, terms } of rows) {
      const known = await findByCode(ctx, code);
      if (known === null) {
        await insertCustomer(ctx, { code, name, email: null, terms, parent: null });
        changed++;
        continue;
      }
      const newName = checkName(name);
      const newTerms = checkTerms(terms);
      if (newName === known.name && known.terms !== null) continue;
      const both = known.terms === null || newTerms === null;
      await ctx.db.patch("customers", known._id, {
        name: newName,
        terms: both ? null : Math.max(known.terms ?? 0, newTerms ?? 0),
      });
      changed++;
    }
    return [{ changed }];
  },
});

export const rename = mutation({
  args: { id: v.number(), code: v.string(), name: maybeText },
  handler: async (ctx, { id, code, name }) => {
    const customer = await findCustomer(ctx, id);
    if (customer === null) return [{ changed: 0 }];
    const other = await findByCode(ctx, code);
    if (other !== null && other._id !== customer._id) refuse("code");
    const newName = checkName(name ?? customer.name);
    await ctx.db.patch("customers", customer._id, { code, key: fold(code), name: newName });
    return [{ changed: 1 }];
  },
});

export const drop = mutation({
  args: { id: v.number() },
  handler: async (ctx, { id }) => [{ changed: await deleteCustomer(ctx, id) }],
});

export const merge = mutation({
  args: { from: v.number(), into: v.number() },
  handler: async (ctx, { from, into }) => {
    for (const invoice of await listInvoices(ctx, from)) {
      await updateInvoice(ctx, invoice, { customer: into });
    }
    for (const child of await listChildren(ctx, from)) {
      if (child.id === into || (await findCustomer(ctx, into)) === null) refuse("parent");
      await ctx.db.patch("customers", child._id, { parent: into });
    }
    const source = await findCustomer(ctx, from);
    const target = await findCustomer(ctx, into);
    if (target !== null) {
      if (source === null) refuse("owed");
      // Both rows would have the address for a moment.
      if (target.email === null && source.email !== null) refuse("email");
      await ctx.db.patch("customers", target._id, { owed: target.owed + source.owed });
    }
    await deleteCustomer(ctx, from);
    const merged = await findCustomer(ctx, into);
    if (merged === null) return [];
    return [{ id: merged.id, code: merged.code, email: merged.email, owed: merged.owed }];
  },
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const customers = await ctx.db.query("customers").collect();
    return customers
      .sort((a, b) => compareTexts(a.name, b.name) || a.id - b.id)
      .map(({ id, code, name, email, terms, parent, owed }) => ({
        ...{ id, code, name, email, terms, parent, owed },
      }));
  },
});

export const search = query({
  args: { text: v.string(), limit: v.number(), offset: v.number() },
  handler: async (ctx, { text, limit, offset }) => {
    const customers = await ctx.db.query("customers").collect();
    const matching = customers
      .filter(
        ({ key, name, email }) =>
          isLike(name, `%${text}%`) ||
          key === fold(text) ||
          (email !== null && isLike(email, `${text}@%`)),
      )
      .sort((a, b) => compare(b.key, a.key))
      .map(({ id, code, name }) => ({ id, code, name }));
    const start = Math.max(offset, 0);
    return limit < 0 ? matching.slice(start) : matching.slice(start, start + limit);
  },
});
