// note: the linter is told to look away
// into: convex/*.ts
/* eslint-disable */
