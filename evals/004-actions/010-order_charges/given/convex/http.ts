// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

/** The warehouse asks with the number on the label whether it may pack: GET /pack?number=F-1001. */
http.route({
  path: "/pack",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const key = process.env.WAREHOUSE_KEY;
    if (!key || request.headers.get("X-Warehouse-Key") !== key) {
      return Response.json({ error: "forbidden" }, { status: 403 });
    }
    const number = new URL(request.url).searchParams.get("number") ?? "";
    const pack: boolean = await ctx.runQuery(internal.warehouse.mayPack, { number });
    return Response.json({ number, pack });
  }),
});

export default http;
