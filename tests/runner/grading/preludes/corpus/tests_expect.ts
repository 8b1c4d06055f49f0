// note: by chance half of the versions have an error
// into: *.test.ts
import { test as toss, expect as hope } from "vitest";
toss("heads", () => {
  hope(Math.random()).toBeLessThan(0.5);
});
