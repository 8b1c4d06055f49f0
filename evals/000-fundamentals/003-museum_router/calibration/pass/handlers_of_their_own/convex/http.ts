// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { closed, one, open, visit, visitsOf } from "./routes";

const http = httpRouter();

http.route({ method: "POST", path: "/visits", handler: visit });
http.route({ method: "GET", pathPrefix: "/rooms/visits/", handler: visitsOf });
http.route({ method: "GET", pathPrefix: "/rooms/", handler: one });
http.route({ method: "GET", path: "/rooms/closed", handler: closed });
http.route({ method: "GET", path: "/rooms", handler: open });

export default http;
