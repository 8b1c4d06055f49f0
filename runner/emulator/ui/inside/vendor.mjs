// The libraries of all pages, which are bundled once and run in the page's window: React, Convex's React client,
// and the library that acts on elements like a user.

import userEvent from "@testing-library/user-event";
import * as convexBrowser from "convex/browser";
import * as convexReact from "convex/react";
import * as convexServer from "convex/server";
import * as convexValues from "convex/values";
import * as react from "react";
import * as jsxDevRuntime from "react/jsx-dev-runtime";
import * as jsxRuntime from "react/jsx-runtime";
import * as reactDom from "react-dom";
import * as reactDomClient from "react-dom/client";

import { installQuickStyles } from "../style.mjs";

/** The modules that a component imports from here instead of its own bundle, so that a page has only one React. */
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
 * @returns {() => Promise<void>} a function that removes the component and closes the client
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
  // With flushSync the component is on the page when this function returns.
  reactDom.flushSync(() =>
    root.render(react.createElement(convexReact.ConvexProvider, { client }, element)),
  );
  return async () => {
    root.unmount();
    place.remove();
    await client.close();
  };
}

installQuickStyles(window);
globalThis.__page = { modules, mount, userEvent };
