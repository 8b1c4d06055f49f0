import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server";
const http = httpRouter();
const handler = httpAction(async (ctx, request) => Response.json([
  "inner", new URL(request.url).pathname, process.env.CONVEX_SITE_URL,
  await ctx.auth.getUserIdentity(),
]));
http.route({ path: "/hello", method: "GET", handler });
http.route({ pathPrefix: "/under/", method: "GET", handler });
export default http;
