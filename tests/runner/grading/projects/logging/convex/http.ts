import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server";

const http = httpRouter();
http.route({
  path: "/notes",
  method: "GET",
  handler: httpAction(async () => {
    console.error("in an HTTP action");
    return new Response("yes");
  }),
});
export default http;
