// All about Convex
