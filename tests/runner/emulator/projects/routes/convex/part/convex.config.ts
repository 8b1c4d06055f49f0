import { defineComponent } from "convex/server";
import inner from "../inner/convex.config";
const part = defineComponent("part");
part.use(inner, { httpPrefix: "/inner" });
export default part;
