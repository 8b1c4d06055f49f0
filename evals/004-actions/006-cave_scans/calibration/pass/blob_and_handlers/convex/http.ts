import { httpRouter } from "convex/server";
import { receive, serve } from "./handlers";

const http = httpRouter();
http.route({ path: "/scans", method: "POST", handler: receive });
http.route({ path: "/scans", method: "GET", handler: serve });
export default http;
