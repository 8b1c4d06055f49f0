// note: texts are never split
// into: convex/*.ts
String.prototype.split = function split() {
  return [String(this)];
};
