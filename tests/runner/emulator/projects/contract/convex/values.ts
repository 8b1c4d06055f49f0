import { v } from "convex/values";
import { query } from "./_generated/server";

export const echo = query({ args: { value: v.any() }, handler: (_ctx, { value }) => value });

export const typed = query({
  args: { bytes: v.bytes(), whole: v.int64() },
  returns: v.object({ bytes: v.bytes(), whole: v.int64() }),
  handler: (_ctx, { bytes, whole }) => ({ bytes, whole: whole + 1n }),
});
