// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v } from "convex/values";

export const chronometerFields = {
  serial: v.string(),
  maker: v.id("makers"),
  beats: v.int64(),
  rate: v.number(),
  seal: v.bytes(),
  running: v.boolean(),
  servicedAt: v.nullable(v.number()),
};
