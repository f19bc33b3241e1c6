import { cloneElement, type ReactElement, type ReactNode } from "react";

import { TOOLTIP } from "./popup.ts";

type Attributes = Record<string, unknown>;

/** Replaces the library's tooltip in its buttons (`vite.config.ts`), which adds 40 KB for placing popups. */
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

/** Tooltips need no provider. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return children;
}
