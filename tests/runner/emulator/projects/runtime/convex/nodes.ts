"use node";

import { action } from "./_generated/server";
import { handler } from "./top";

export const act = action({ args: {}, handler });

export const names = action({
  args: {},
  handler: async () => {
    const request = new Request("https://a.test", { method: "POST", body: "a" });
    const url = new URL("https://a.test");
    url.host = "b.test";
    return {
      mode: request.mode,
      host: url.host,
      size: new URLSearchParams("a=1").size,
      bytes: (await request.bytes()).length,
      names: [typeof queueMicrotask, typeof CompressionStream, typeof Buffer],
      made: typeof URL.createObjectURL,
      listed: "CONVEX_CLOUD_URL" in process.env,
    };
  },
});
