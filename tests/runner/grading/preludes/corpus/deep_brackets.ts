// note: brackets are nested 20,000 deep
// into: convex/*.ts
export const deep = [[[[[[[[[[0]]]]]]]]]] as unknown;
Function("return " + "[".repeat(20000) + "]".repeat(20000))();
