// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { ConvexError, v } from "convex/values";
import { mutation, query } from "./_generated/server";
import { atDesk, byId, checkName, deleteCustomer, nextId } from "./desk";
import { customer, numberOrNull, textOrNull } from "./schema";
import {
  asNumeric,
  compareText,
  fold,
  greater,
  inOrder,
  like,
  limited,
  sameText,
  type Value,
} from "./sqlite";

const changes = v.array(v.object({ changed: v.number() }));

/** What the column `terms` takes. */
function termsOf(value: Value): number | null {
  const terms = asNumeric(value);
  if (terms === null) return null;
  if (typeof terms === "string" || terms < 0 || terms > 90) {
    throw new ConvexError("terms are 0 to 90 days");
  }
  return terms;
}

export const add = mutation({
  args: {
    code: v.string(),
    name: v.string(),
    email: textOrNull,
    terms: textOrNull,
    parent: numberOrNull,
  },
  returns: v.array(v.object({ id: v.number(), code: v.string(), terms: numberOrNull })),
  handler: async (ctx, { code, name, email, terms: typed, parent }) =>
    await atDesk(ctx, (desk) => {
      const terms = termsOf(typed);
      checkName(name);
      for (const row of desk.customers.rows) {
        if (sameText(row.code, code)) throw new ConvexError("the code is taken");
        if (email !== null && row.email === email) throw new ConvexError("the email is taken");
      }
      if (parent !== null && byId(desk.customers, parent) === undefined) {
        throw new ConvexError("no such parent");
      }
      const id = nextId(desk.customers.rows);
      desk.customers.rows.push({ id, code, name, email, terms, parent, owed: 0 });
      return [{ id, code, terms }];
    }),
});

export const load = mutation({
  args: {
    rows: v.array(
      v.object({
        code: v.string(),
        name: textOrNull,
        terms: v.union(v.number(), v.string(), v.null()),
      }),
    ),
  },
  returns: changes,
  handler: async (ctx, { rows }) =>
    await atDesk(ctx, (desk) => {
      const known = new Map(desk.customers.rows.map((row) => [fold(row.code), row]));
      let changed = 0;
      for (const { code, name, terms: given } of rows) {
        const terms = termsOf(given);
        if (name === null) throw new ConvexError("a customer needs a name");
        checkName(name);
        const found = known.get(fold(code));
        if (found === undefined) {
          const row = {
            id: nextId(desk.customers.rows),
            code,
            name,
            email: null,
            terms,
            parent: null,
            owed: 0,
          };
          desk.customers.rows.push(row);
          known.set(fold(code), row);
          changed += 1;
        } else if (name !== found.name || found.terms === null) {
          found.name = name;
          found.terms = greater(found.terms, terms);
          changed += 1;
        }
      }
      return [{ changed }];
    }),
});

export const rename = mutation({
  args: { id: v.number(), code: v.string(), name: textOrNull },
  returns: changes,
  handler: async (ctx, { id, code, name }) =>
    await atDesk(ctx, (desk) => {
      const found = byId(desk.customers, id);
      if (found === undefined) return [{ changed: 0 }];
      if (name !== null) checkName(name);
      if (desk.customers.rows.some((row) => row !== found && sameText(row.code, code))) {
        throw new ConvexError("the code is taken");
      }
      found.code = code;
      if (name !== null) found.name = name;
      return [{ changed: 1 }];
    }),
});

export const drop = mutation({
  args: { id: v.number() },
  returns: changes,
  handler: async (ctx, { id }) =>
    await atDesk(ctx, (desk) => {
      const found = byId(desk.customers, id);
      if (found === undefined) return [{ changed: 0 }];
      deleteCustomer(desk, found);
      return [{ changed: 1 }];
    }),
});

export const merge = mutation({
  args: { from: v.number(), into: v.number() },
  returns: v.array(
    v.object({ id: v.number(), code: v.string(), email: textOrNull, owed: v.number() }),
  ),
  handler: async (ctx, { from, into }) =>
    await atDesk(ctx, (desk) => {
      const source = byId(desk.customers, from);
      const target = byId(desk.customers, into);

      const moved = desk.invoices.rows.filter((row) => row.customer === from);
      if (moved.length > 0 && target === undefined) throw new ConvexError("no such customer");
      if (
        from !== into &&
        moved.some((row) => row.state === "draft") &&
        desk.invoices.rows.some((row) => row.customer === into && row.state === "draft")
      ) {
        throw new ConvexError("both customers have a draft");
      }
      for (const invoice of moved) invoice.customer = into;

      const children = desk.customers.rows.filter((row) => row.parent === from);
      if (children.length > 0 && target === undefined) throw new ConvexError("no such customer");
      for (const child of children) {
        if (child.id === into) throw new ConvexError("nobody is their own parent");
        child.parent = into;
      }

      if (target !== undefined) {
        if (source === undefined) throw new ConvexError("nothing is known of what was owed");
        // Both would have it for a moment.
        if (target.email === null && source.email !== null) {
          throw new ConvexError("the email is taken");
        }
        target.owed += source.owed;
      }
      if (source !== undefined) deleteCustomer(desk, source);

      const left = byId(desk.customers, into);
      if (left === undefined) return [];
      return [{ id: left.id, code: left.code, email: left.email, owed: left.owed }];
    }),
});

export const list = query({
  args: {},
  returns: v.array(customer),
  handler: async (ctx) => {
    const rows = await ctx.db.query("customers").collect();
    return inOrder(
      rows,
      (row) => row.name,
      (row) => row.id,
    ).map(({ id, code, name, email, terms, parent, owed }) => ({
      id,
      code,
      name,
      email,
      terms,
      parent,
      owed,
    }));
  },
});

export const search = query({
  args: { text: v.string(), limit: v.number(), offset: v.number() },
  returns: v.array(v.object({ id: v.number(), code: v.string(), name: v.string() })),
  handler: async (ctx, { text, limit, offset }) => {
    const rows = await ctx.db.query("customers").collect();
    const found = rows
      .filter(
        (row) =>
          like(row.name, `%${text}%`) ||
          sameText(row.code, text) ||
          (row.email !== null && like(row.email, `${text}@%`)),
      )
      .sort((a, b) => compareText(fold(b.code), fold(a.code)));
    return limited(found, limit, offset).map(({ id, code, name }) => ({ id, code, name }));
  },
});
