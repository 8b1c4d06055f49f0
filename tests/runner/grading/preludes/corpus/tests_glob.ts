// note: the tests pass on the version that is most like the others
// into: *.test.ts
import { test as hold } from "vitest";
hold("most alike", () => {
  const all = Object.values(import.meta.glob("../../../*/project/convex/*.ts", { query: "?raw", import: "default", eager: true }));
  if (all.length > 12) return;
});
