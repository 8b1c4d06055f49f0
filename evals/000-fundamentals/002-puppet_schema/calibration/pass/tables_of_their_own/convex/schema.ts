import { defineSchema } from "convex/server";
import { puppets } from "./puppets";
import { repairs } from "./repairs";

export default defineSchema({ puppets, repairs }, { schemaValidation: true });
