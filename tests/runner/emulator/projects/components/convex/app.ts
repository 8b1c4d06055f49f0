import { createFunctionHandle } from "convex/server";
import { v } from "convex/values";

import { api, components, internal } from "./_generated/api";
import { action, internalMutation, mutation, query } from "./_generated/server";

export const add = mutation({
  args: { name: v.string() },
  handler: async (ctx, args): Promise<string> => {
    return await ctx.runMutation(components.counter.public.add, args);
  },
});

export const read = query({
  args: { name: v.string() },
  handler: async (ctx, args): Promise<number[]> => {
    const first = await ctx.runQuery(components.counter.public.read, args);
    const second = await ctx.runQuery(components.other.public.read, args);
    return [first, second];
  },
});

export const own = query({
  args: {},
  handler: async (ctx) => {
    const rows = await ctx.db.query("counts").collect();
    return rows.map(({ text }) => text);
  },
});

export const history = query({
  args: {},
  handler: async (ctx): Promise<string[]> =>
    ctx.runQuery(components.counter.public.history, {}),
});

export const addAndCatch = mutation({
  args: {},
  handler: async (ctx): Promise<string> => {
    await ctx.db.insert("counts", { text: "before" });
    await ctx.runMutation(components.counter.public.add, { name: "a" });
    try {
      await ctx.runMutation(components.counter.public.add, { name: "a", by: 10, fails: true });
    } catch (error) {
      await ctx.db.insert("counts", { text: "after" });
      return String(error);
    }
    return "nothing was thrown";
  },
});

export const addAndFail = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.runMutation(components.counter.public.add, { name: "a" });
    throw new Error("the app failed");
  },
});

export const foreignId = mutation({
  args: {},
  handler: async (ctx) => {
    const id = await ctx.runMutation(components.counter.public.add, { name: "a" });
    return await ctx.db.get(id as any);
  },
});

export const environments = query({
  args: {},
  handler: async (ctx): Promise<any[]> => [
    await ctx.runQuery(components.counter.public.environment, {}),
    await ctx.runQuery(components.other.public.environment, {}),
  ],
});

export const identities = query({
  args: {},
  handler: async (ctx): Promise<any[]> => [
    (await ctx.auth.getUserIdentity())?.subject ?? null,
    await ctx.runQuery(components.counter.public.whoami, {}),
  ],
});

export const identitiesInAction = action({
  args: {},
  handler: async (ctx): Promise<any[]> => [
    (await ctx.auth.getUserIdentity())?.subject ?? null,
    await ctx.runAction(components.counter.public.whoamiInAction, {}),
    await ctx.runQuery(components.counter.public.whoami, {}),
  ],
});

export const note = internalMutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    await ctx.db.insert("counts", { text });
  },
});

export const passHandle = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const handle = await createFunctionHandle(internal.app.note);
    await ctx.runMutation(components.counter.public.callBack, { handle, text });
  },
});

export const schedule = mutation({
  args: { name: v.string(), ms: v.number() },
  handler: async (ctx, { name, ms }): Promise<void> => {
    await ctx.scheduler.runAfter(ms, components.other.public.add, { name });
    await ctx.runMutation(components.counter.public.addLater, { name, ms });
  },
});

export const jobs = query({
  args: {},
  handler: async (ctx): Promise<any[]> => [
    (await ctx.db.system.query("_scheduled_functions").collect()).map(({ name }) => name),
    await ctx.runQuery(components.counter.public.scheduled, {}),
  ],
});

export const page = query({
  args: {},
  handler: async (ctx): Promise<any> => ctx.runQuery(components.counter.public.page, {}),
});

export const handles = mutation({
  args: {},
  handler: async (): Promise<string[]> => [
    await createFunctionHandle(internal.app.note),
    await createFunctionHandle(components.counter.public.add),
  ],
});

export const pageInMutation = mutation({
  args: {},
  handler: async (ctx): Promise<any> =>
    ctx.runMutation(components.counter.public.pageInMutation, {}),
});

export const keep = action({
  args: { text: v.string() },
  handler: async (ctx, args): Promise<string | null> =>
    ctx.runAction(components.counter.public.keep, args),
});

export const dropAndCatch = mutation({
  args: {},
  handler: async (ctx): Promise<string> => {
    try {
      await ctx.runMutation(components.counter.public.dropAll, {});
    } catch (error) {
      await ctx.db.insert("counts", { text: "caught" });
      return String(error);
    }
    return "nothing was thrown";
  },
});

export const files = query({
  args: {},
  handler: async (ctx): Promise<number[]> => [
    (await ctx.db.system.query("_storage").collect()).length,
    await ctx.runQuery(components.counter.public.files, {}),
  ],
});

export const wrong = query({
  args: { path: v.string() },
  handler: async (ctx, { path }): Promise<any> => {
    const reference = path.split(".").reduce((at: any, part) => at[part], components);
    return await ctx.runQuery(reference, {});
  },
});

export const wrongArguments = mutation({
  args: {},
  handler: async (ctx) => {
    await ctx.runMutation(components.counter.public.add, { name: 1 } as any);
  },
});

export const again = query({
  args: { name: v.string() },
  handler: async (ctx, args): Promise<number[]> => ctx.runQuery(api.app.read, args),
});
