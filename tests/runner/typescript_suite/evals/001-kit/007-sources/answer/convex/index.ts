import { query } from "./_generated/server";

export const first = query({ args: {}, handler: (ctx) => ctx.db.query("rows").take(10) });
