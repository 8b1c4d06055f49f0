// Stands for aria-query, whose tables nothing here looks into.

export const elementRoles = new Map();
export const roleElements = new Map();
export const roles = new Map();
