import { query } from "./_generated/server";

export const greeting = query({ args: {}, handler: async () => process.env.GREETING ?? "hello" });
