import { httpRouter } from "convex/server";
import { answer } from "./top";

const http = httpRouter();
http.route({ path: "/top", method: "GET", handler: answer });
export default http;
