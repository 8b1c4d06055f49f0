import { httpRouter } from "convex/server";
import { anHttpAction } from "./asking";

const http = httpRouter();
http.route({ path: "/ask", method: "POST", handler: anHttpAction });
export default http;
