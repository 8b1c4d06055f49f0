import { type FunctionHandle } from "convex/server";
import { v } from "convex/values";

import { components, internal } from "./_generated/api";
import { action, internalMutation, mutation, query } from "./_generated/server";

export const read = query({
  args: { name: v.string() },
  returns: v.number(),
  handler: async (ctx, { name }) => {
    const row = await ctx.db
      .query("counts")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    return row?.value ?? 0;
  },
});

export const add = mutation({
  args: { name: v.string(), by: v.optional(v.number()), fails: v.optional(v.boolean()) },
  returns: v.id("counts"),
  handler: async (ctx, { name, by = 1, fails = false }) => {
    const row = await ctx.db
      .query("counts")
      .withIndex("by_name", (q) => q.eq("name", name))
      .unique();
    const id = row?._id ?? (await ctx.db.insert("counts", { name, value: 0 }));
    await ctx.db.patch(id, { value: (row?.value ?? 0) + by });
    await ctx.runMutation(components.audit.log.write, { text: `${name}+${by}` });
    if (fails) throw new Error("the counter failed");
    return id;
  },
});

export const history = query({
  args: {},
  handler: async (ctx): Promise<string[]> => ctx.runQuery(components.audit.log.list, {}),
});

export const environment = query({
  args: {},
  handler: async () => ({
    label: process.env.LABEL ?? null,
    step: process.env.STEP ?? null,
    secret: process.env.SECRET ?? null,
    site: process.env.CONVEX_SITE_URL ?? null,
  }),
});

export const whoami = query({
  args: {},
  handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null,
});

export const whoamiInAction = action({
  args: {},
  handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null,
});

export const callBack = mutation({
  args: { handle: v.string(), text: v.string() },
  handler: async (ctx, { handle, text }) => {
    await ctx.runMutation(handle as FunctionHandle<"mutation", { text: string }>, { text });
  },
});

export const addLater = mutation({
  args: { name: v.string(), ms: v.number() },
  handler: async (ctx, { name, ms }): Promise<string> => {
    return await ctx.scheduler.runAfter(ms, internal.public.addNow, { name });
  },
});

export const addNow = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    await ctx.db.insert("counts", { name, value: 100 });
  },
});

export const scheduled = query({
  args: {},
  handler: async (ctx) => {
    const jobs = await ctx.db.system.query("_scheduled_functions").collect();
    return jobs.map(({ name, state }) => ({ name, state: state.kind }));
  },
});

export const page = query({
  args: {},
  handler: async (ctx) => {
    return await ctx.db.query("counts").paginate({ cursor: null, numItems: 1 });
  },
});

export const pageInMutation = mutation({
  args: {},
  handler: async (ctx) => {
    return await ctx.db.query("counts").paginate({ cursor: null, numItems: 1 });
  },
});

export const keep = action({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const id = await ctx.storage.store(new Blob([text]));
    return await ctx.storage.getUrl(id);
  },
});

export const dropAll = mutation({
  args: {},
  handler: async (ctx) => {
    for (const file of await ctx.db.system.query("_storage").collect())
      await ctx.storage.delete(file._id);
    throw new Error("the deletion failed");
  },
});

export const files = query({
  args: {},
  handler: async (ctx) => (await ctx.db.system.query("_storage").collect()).length,
});
