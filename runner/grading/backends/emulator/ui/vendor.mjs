// What every page shares, bundled once and run inside the page's own window: React, Convex's React
// client, and the hands that a grader works the page with.

import * as testing from "@testing-library/dom";
import userEvent from "@testing-library/user-event";
import * as convexBrowser from "convex/browser";
import * as convexReact from "convex/react";
import * as convexServer from "convex/server";
import * as convexValues from "convex/values";
import { computeAccessibleName, getRole } from "dom-accessibility-api";
import * as react from "react";
import * as jsxDevRuntime from "react/jsx-dev-runtime";
import * as jsxRuntime from "react/jsx-runtime";
import * as reactDom from "react-dom";
import * as reactDomClient from "react-dom/client";

import { installQuickStyles } from "./style.mjs";
import { isHidden, visibleText } from "./text.mjs";

/** Modules that a component's imports resolve to: one React on the page, not two. */
const modules = {
  "convex/browser": convexBrowser,
  "convex/react": convexReact,
  "convex/server": convexServer,
  "convex/values": convexValues,
  react,
  "react-dom": reactDom,
  "react-dom/client": reactDomClient,
  "react/jsx-dev-runtime": jsxDevRuntime,
  "react/jsx-runtime": jsxRuntime,
};

/**
 * Renders a component in a ConvexProvider of its own client.
 *
 * @param {{ component: import("react").ComponentType<object>, props: object, address: string, report: (error: unknown) => void }} page
 * @returns {() => Promise<void>} takes the page down
 */
function mount({ component, props, address, report }) {
  const client = new convexReact.ConvexReactClient(address, {
    webSocketConstructor: WebSocket,
    unsavedChangesWarning: false,
    logger: false,
  });
  const place = document.createElement("div");
  place.id = "root";
  document.body.append(place);
  const root = reactDomClient.createRoot(place, { onUncaughtError: (error) => report(error) });
  const element = react.createElement(component, props);
  // flushSync: what is on the page when this returns is what a reader sees first.
  reactDom.flushSync(() =>
    root.render(react.createElement(convexReact.ConvexProvider, { client }, element)),
  );
  return async () => {
    root.unmount();
    place.remove();
    await client.close();
  };
}

/** Finds what a reader can reach of a role and accessible name. */
function withRole(body, role, name) {
  // The testing library's search asks each element for each role that there is.
  const ofRole = [...body.getElementsByTagName("*")].filter((element) => getRole(element) === role);
  return ofRole.filter(
    (element) => computeAccessibleName(element) === name && !liesHidden(element),
  );
}

function liesHidden(element) {
  for (let part = element; part; part = part.parentElement) {
    if (isHidden(part) || part.getAttribute("aria-hidden") === "true") return true;
  }
  return false;
}

installQuickStyles();
globalThis.__page = { modules, mount, testing, userEvent, visibleText, withRole };
