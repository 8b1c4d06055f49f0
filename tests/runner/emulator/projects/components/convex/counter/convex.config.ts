import { defineComponent } from "convex/server";
import { v } from "convex/values";

import audit from "../audit/convex.config";

const component = defineComponent("counter", {
  env: { LABEL: v.string(), STEP: v.optional(v.string()) },
});
component.use(audit);
export default component;
