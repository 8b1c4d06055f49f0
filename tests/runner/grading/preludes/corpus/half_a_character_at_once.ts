// note: an error whose text cannot be written as UTF-8 is thrown as a module loads
// into: convex/schema.ts
throw new Error("half \ud800");
