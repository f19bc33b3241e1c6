import { Sidebar, useSidebar } from "@cloudflare/kumo";
import {
  ChartLineIcon,
  FlowArrowIcon,
  GearIcon,
  LightningIcon,
  PlugsConnectedIcon,
  RocketLaunchIcon,
  ShieldIcon,
  WebhooksLogoIcon,
} from "@phosphor-icons/react";
import { useLocation, useRouter } from "@tanstack/react-router";
import type { ComponentType, MouseEvent } from "react";

import { useOrg } from "./org.ts";

type Entry = { label: string; path: string; icon: ComponentType<{ className?: string }> };

const ENTRIES: Entry[] = [
  { label: "Home", path: "/", icon: ChartLineIcon },
  { label: "Deploy", path: "/deploy", icon: RocketLaunchIcon },
  { label: "Sources", path: "/sources", icon: LightningIcon },
  { label: "Workflows", path: "/workflows", icon: FlowArrowIcon },
  { label: "Webhooks", path: "/webhooks", icon: WebhooksLogoIcon },
  { label: "Connect", path: "/connect", icon: PlugsConnectedIcon },
  { label: "Settings", path: "/settings", icon: GearIcon },
];

const OPERATOR_ENTRY: Entry = { label: "Admin", path: "/admin", icon: ShieldIcon };

/** The sections of the console. */
export function Navigation({ isOperator, isUser }: { isOperator: boolean; isUser: boolean }) {
  const entries = [...(isUser ? ENTRIES : []), ...(isOperator ? [OPERATOR_ENTRY] : [])];
  return (
    <nav aria-label="Sections">
      <Sidebar.Group>
        <Sidebar.Menu>
          {entries.map((entry) => (
            <NavigationItem key={entry.path} entry={entry} />
          ))}
        </Sidebar.Menu>
      </Sidebar.Group>
    </nav>
  );
}

function NavigationItem({ entry: { label, path, icon } }: { entry: Entry }) {
  const router = useRouter();
  const { pathname } = useLocation();
  const { setOpenMobile } = useSidebar();
  const org = useOrg();
  const isActive = path === "/" ? pathname === "/" : pathname.startsWith(path);
  const open = (event: MouseEvent) => {
    // With a modifier the browser opens a new tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    setOpenMobile(false);
    void router.navigate({ to: path });
  };
  const search = org === undefined ? "" : `?org=${encodeURIComponent(org)}`;
  return (
    <Sidebar.MenuItem>
      <Sidebar.MenuButton
        icon={icon}
        active={isActive}
        aria-current={isActive ? "page" : undefined}
        href={`/console${path}${search}`}
        onClick={open}
      >
        {label}
      </Sidebar.MenuButton>
    </Sidebar.MenuItem>
  );
}
