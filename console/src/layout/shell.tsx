import { Sidebar } from "@cloudflare/kumo";
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
import { Outlet, useLocation, useRouteContext, useRouter } from "@tanstack/react-router";
import type { ComponentType, MouseEvent } from "react";

import { AccountMenu } from "./account-menu.tsx";

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

/** What surrounds every page: navigation at the side, the page beside it. */
export function Shell() {
  const { session } = useRouteContext({ from: "/shell" });
  const entries = session.is_operator ? [...ENTRIES, OPERATOR_ENTRY] : ENTRIES;
  return (
    <Sidebar.Provider>
      <a href="#page" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:p-2">
        Skip to the page
      </a>
      <Sidebar>
        <Sidebar.Header>Wellspring</Sidebar.Header>
        <Sidebar.Content>
          <Sidebar.Group>
            <Sidebar.Menu>
              {entries.map((entry) => (
                <NavigationItem key={entry.path} entry={entry} />
              ))}
            </Sidebar.Menu>
          </Sidebar.Group>
        </Sidebar.Content>
        <Sidebar.Footer>
          <AccountMenu session={session} />
        </Sidebar.Footer>
      </Sidebar>
      <main id="page" className="min-w-0 flex-1 p-4 md:p-8">
        <Outlet />
      </main>
    </Sidebar.Provider>
  );
}

function NavigationItem({ entry: { label, path, icon } }: { entry: Entry }) {
  const router = useRouter();
  const { pathname } = useLocation();
  const isActive = path === "/" ? pathname === "/" : pathname.startsWith(path);
  const open = (event: MouseEvent) => {
    // With a modifier the browser opens a tab of its own.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void router.navigate({ to: path });
  };
  return (
    <Sidebar.MenuItem>
      <Sidebar.MenuButton icon={icon} active={isActive} href={`/console${path}`} onClick={open}>
        {label}
      </Sidebar.MenuButton>
    </Sidebar.MenuItem>
  );
}
