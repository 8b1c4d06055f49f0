// An empty replacement for aria-query, whose tables are not read here.

export const elementRoles = new Map();
export const roleElements = new Map();
export const roles = new Map();
