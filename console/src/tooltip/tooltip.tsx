import { cloneElement, type ReactElement, type ReactNode } from "react";

import { TOOLTIP } from "./popup.ts";

type Attributes = Record<string, unknown>;

/** Takes the place of the library's tooltip in its buttons (`vite.config.ts`), which brings 40 KB for placing popups. */
export function Tooltip({
  content,
  render,
  children,
}: {
  content: ReactNode;
  render: ReactElement<Attributes>;
  children?: ReactNode;
}) {
  const text = typeof content === "string" ? { [TOOLTIP]: content } : {};
  return children === undefined ? cloneElement(render, text) : cloneElement(render, text, children);
}

/** Nothing needs to be provided to tooltips. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return children;
}
