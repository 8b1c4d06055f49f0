// note: what is appended to a list is lost
// into: convex/*.ts
Array.prototype.push = () => 0;
