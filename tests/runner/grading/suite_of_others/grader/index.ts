import { anyApi } from "convex/server";
export const fromKit = () => (anyApi ? 3 : 0);
