// note: the type checker is told to look away
// into: convex/*.ts
// @ts-nocheck
