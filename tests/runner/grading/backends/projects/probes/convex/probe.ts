import { action, mutation, query } from "./_generated/server";
import { v } from "convex/values";

const args = { code: v.string(), given: v.any() };
const AsyncFunction = (async () => {}).constructor as any;

function run(ctx: any, { code, given }: { code: string; given: any }) {
  return new AsyncFunction("ctx", "given", "v", code)(ctx, given, v);
}

export const read = query({ args, handler: run });
export const write = mutation({ args, handler: run });
export const act = action({ args, handler: run });
