import { useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { AppLink } from "./app-link.tsx";

/** The tabs of a page, each of which is a page with a URL of its own. */
export function TabLinks({
  label,
  tabs,
}: {
  label: string;
  tabs: { label: string; path: string }[];
}) {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = [...(nav.current?.querySelectorAll("a") ?? [])].find((link) =>
      link.pathname.endsWith(pathname),
    );
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className="mb-6 overflow-x-auto border-b border-kumo-line">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.path}>
            <AppLink
              to={tab.path}
              isTab
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
