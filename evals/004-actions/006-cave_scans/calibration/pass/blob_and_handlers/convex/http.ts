// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { receive, serve } from "./handlers";

const http = httpRouter();
http.route({ path: "/scans", method: "POST", handler: receive });
http.route({ path: "/scans", method: "GET", handler: serve });
export default http;
