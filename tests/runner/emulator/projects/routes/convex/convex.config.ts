import { defineApp } from "convex/server";
import part from "./part/convex.config";
import mute from "./mute/convex.config";
const app = defineApp();
app.use(part, { httpPrefix: "/part" });
app.use(mute, { httpPrefix: "/mute/" });
export default app;
