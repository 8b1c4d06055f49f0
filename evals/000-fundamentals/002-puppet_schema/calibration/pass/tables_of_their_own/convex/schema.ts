// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { defineSchema } from "convex/server";
import { puppets } from "./puppets";
import { repairs } from "./repairs";

export default defineSchema({ puppets, repairs }, { schemaValidation: true });
