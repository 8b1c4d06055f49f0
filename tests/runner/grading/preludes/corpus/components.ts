// note: a component is brought along, which the backend does not do
// into: new:convex/convex.config.ts
import { defineApp } from "convex/server";
const app = defineApp();
Object.assign(app, { _childComponents: [{}] });
export default app;
