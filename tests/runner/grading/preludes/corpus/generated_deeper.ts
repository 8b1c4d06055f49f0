// note: code lies in a folder that checks leave out
// into: new:convex/lib/_generated/code.ts
export const nothing: number = "not a number";
Math.min = () => 1e9;
