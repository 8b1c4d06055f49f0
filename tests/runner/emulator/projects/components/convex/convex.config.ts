import { defineApp } from "convex/server";
import { v } from "convex/values";

import counter from "./counter/convex.config";

const app = defineApp({ env: { STEP: v.optional(v.string()) } });
app.use(counter, { env: { LABEL: "first", STEP: app.env.STEP } });
app.use(counter, { name: "other", env: { LABEL: "second" } });
export default app;
