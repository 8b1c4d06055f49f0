import { paginationOptsValidator } from "convex/server";
import { query } from "./_generated/server";

export const list = query({
  args: { paginationOpts: paginationOptsValidator },
  handler: (ctx, { paginationOpts }) => ctx.db.query("rows").order("desc").paginate(paginationOpts),
});
