export { shared } from "./deep.js";
