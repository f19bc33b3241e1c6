import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { AppLink } from "./app-link.tsx";

/** The tabs of a page, each with a URL of its own. */
export function TabLinks({
  label,
  tabs,
}: {
  label: string;
  tabs: { label: string; path: string }[];
}) {
  const { pathname } = useLocation();
  const current = currentOf(tabs, pathname);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (current === undefined) return;
    const links = [...(nav.current?.querySelectorAll("a") ?? [])];
    const link = links.find((one) => one.pathname.endsWith(current));
    link?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return (
    <nav ref={nav} aria-label={label} className="mb-6 overflow-x-auto border-b border-kumo-line">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.path}>
            <AppLink
              to={tab.path}
              isTab
              isWithin={tab.path === current}
              className="block border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-kumo-subtle hover:text-kumo-default aria-[current=page]:border-kumo-brand aria-[current=page]:font-medium aria-[current=page]:text-kumo-default"
            >
              {tab.label}
            </AppLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The tab of a page: its own, or for a page below a tab the nearest one above. */
function currentOf(tabs: { path: string }[], pathname: string): string | undefined {
  const above = tabs.filter(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
  return above.toSorted((a, b) => b.path.length - a.path.length)[0]?.path;
}
