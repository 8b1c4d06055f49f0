// note: an error whose text cannot be written as UTF-8 is thrown by every function
// into: convex/*.ts
JSON.stringify = () => {
  throw new Error("half \ud800");
};
