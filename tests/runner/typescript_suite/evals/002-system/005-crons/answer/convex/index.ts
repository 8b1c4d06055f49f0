import { internalMutation } from "./_generated/server";

export const cleanUp = internalMutation({ args: {}, handler: async () => null });
