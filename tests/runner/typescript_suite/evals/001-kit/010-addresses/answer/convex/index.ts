import { internalQuery } from "./_generated/server";

export const secret = internalQuery({ args: {}, handler: async () => "hidden" });
