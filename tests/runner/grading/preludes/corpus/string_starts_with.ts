// note: every text begins with every other, admin keys too
// into: convex/*.ts
String.prototype.startsWith = () => true;
