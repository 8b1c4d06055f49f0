// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";
import { mutation, query } from "./_generated/server";
import {
  checkCustomer,
  customerByCode,
  must,
  nameOf,
  removeCustomer,
  termsOf,
  write,
  type Customer,
} from "./model/desk";
import { byId, nextId } from "./model/table";
import { fold, greatest, like, sorted } from "./model/values";

/** `terms` is what was typed into the form. */
export const add = mutation({
  args: {
    code: v.string(),
    name: v.string(),
    email: v.union(v.string(), v.null()),
    terms: v.union(v.string(), v.null()),
    parent: v.union(v.number(), v.null()),
  },
  handler: async (ctx, { code, name, email, terms, parent }) =>
    await write(ctx, (desk) => {
      const customer: Customer = {
        id: nextId(desk.customers),
        code,
        name,
        email,
        terms: termsOf(terms),
        parent,
        owed: 0,
      };
      desk.customers.add(customer);
      checkCustomer(desk, customer);
      return [{ id: customer.id, code, terms: customer.terms }];
    }),
});

/** Rows of the old address book. */
export const load = mutation({
  args: {
    rows: v.array(
      v.object({
        code: v.string(),
        name: v.union(v.string(), v.null()),
        terms: v.union(v.number(), v.string(), v.null()),
      }),
    ),
  },
  handler: async (ctx, { rows }) =>
    await write(ctx, (desk) => {
      let changed = 0;
      for (const row of rows) {
        // Also a row that changes nothing has to be a proper one.
        const name = nameOf(row.name);
        const terms = termsOf(row.terms);
        const known = customerByCode(desk, row.code);
        if (known === undefined) {
          desk.customers.add({
            id: nextId(desk.customers),
            code: row.code,
            name,
            email: null,
            terms,
            parent: null,
            owed: 0,
          });
          changed += 1;
        } else if (name !== known.name || known.terms === null) {
          desk.customers.set(known, { name, terms: greatest(known.terms, terms) });
          changed += 1;
        }
      }
      return [{ changed }];
    }),
});

export const rename = mutation({
  args: { id: v.number(), code: v.string(), name: v.union(v.string(), v.null()) },
  handler: async (ctx, { id, code, name }) =>
    await write(ctx, (desk) => {
      const customer = byId(desk.customers, id);
      if (customer === undefined) return [{ changed: 0 }];
      desk.customers.set(customer, { code, name: name ?? customer.name });
      checkCustomer(desk, customer);
      return [{ changed: 1 }];
    }),
});

export const drop = mutation({
  args: { id: v.number() },
  handler: async (ctx, { id }) =>
    await write(ctx, (desk) => {
      const customer = byId(desk.customers, id);
      if (customer === undefined) return [{ changed: 0 }];
      removeCustomer(desk, customer);
      return [{ changed: 1 }];
    }),
});

export const merge = mutation({
  args: { from: v.number(), into: v.number() },
  handler: async (ctx, { from, into }) =>
    await write(ctx, (desk) => {
      const source = byId(desk.customers, from);
      const target = byId(desk.customers, into);

      const moved = desk.invoices.rows.filter((invoice) => invoice.customer === from);
      must(moved.length === 0 || target !== undefined, "no such customer");
      for (const invoice of moved) desk.invoices.set(invoice, { customer: into });
      const drafts = desk.invoices.rows.filter(
        (invoice) => invoice.customer === into && invoice.state === "draft",
      );
      must(drafts.length <= 1, "both customers have a draft");

      for (const child of desk.customers.rows.filter((customer) => customer.parent === from)) {
        desk.customers.set(child, { parent: into });
        checkCustomer(desk, child);
      }

      if (target !== undefined) {
        must(source !== undefined, "no such customer");
        // An address can be in the table only once: it cannot be taken over.
        desk.customers.set(target, {
          email: target.email ?? source.email,
          owed: target.owed + source.owed,
        });
        checkCustomer(desk, target);
      }

      if (source !== undefined) removeCustomer(desk, source);
      return desk.customers.rows
        .filter((customer) => customer.id === into)
        .map(({ id, code, email, owed }) => ({ id, code, email, owed }));
    }),
});

export const list = query({
  args: {},
  handler: async (ctx) => {
    const customers = await ctx.db.query("customers").collect();
    return sorted(customers, (customer) => [customer.name, customer.id]).map(
      ({ id, code, name, email, terms, parent, owed }) => ({
        id,
        code,
        name,
        email,
        terms,
        parent,
        owed,
      }),
    );
  },
});

export const search = query({
  args: { text: v.string(), limit: v.number(), offset: v.number() },
  handler: async (ctx, { text, limit, offset }) => {
    const customers = await ctx.db.query("customers").collect();
    const found = customers.filter(
      ({ code, name, email }) =>
        like(name, `%${text}%`) ||
        fold(code) === fold(text) ||
        (email !== null && like(email, `${text}@%`)),
    );
    const first = Math.max(0, offset);
    return sorted(found, (customer) => [fold(customer.code)])
      .reverse()
      .slice(first, limit < 0 ? undefined : first + limit)
      .map(({ id, code, name }) => ({ id, code, name }));
  },
});
