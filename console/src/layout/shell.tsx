import { Sidebar } from "@cloudflare/kumo";
import { Outlet, useRouteContext } from "@tanstack/react-router";

import { AccountMenu } from "./account-menu.tsx";
import { Navigation } from "./navigation.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { Search } from "./search.tsx";
import { useSessionGuard } from "./session-guard.ts";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";

/** What surrounds every page: navigation at the side, or in a sheet at a phone's width, and the page beside it. */
export function Shell() {
  const { session } = useRouteContext({ from: "/shell" });
  useSessionGuard();
  return (
    <Sidebar.Provider>
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-kumo-base focus:p-2"
      >
        Skip to the page
      </a>
      <Sidebar className="md:sticky md:top-0 md:h-svh">
        <Sidebar.Header>
          <Brand />
        </Sidebar.Header>
        <Sidebar.Content>
          <div className="mb-3 group-data-[state=collapsed]/sidebar:hidden">
            <Search isOperator={session.is_operator} />
          </div>
          {session.user && (
            <div className="mb-3 group-data-[state=collapsed]/sidebar:hidden">
              <WorkspaceSwitcher />
            </div>
          )}
          <Navigation isOperator={session.is_operator} />
        </Sidebar.Content>
        <Sidebar.Footer>
          <AccountMenu session={session} />
        </Sidebar.Footer>
      </Sidebar>
      <div className="min-w-0 flex-1">
        <header className="flex h-14 items-center gap-2 border-b border-kumo-line bg-kumo-base px-4 md:hidden">
          <Sidebar.Trigger />
          <Brand />
        </header>
        <main id="page" tabIndex={-1} className="mx-auto max-w-7xl p-4 outline-none! md:p-8">
          <OfflineBanner />
          <Outlet />
        </main>
      </div>
    </Sidebar.Provider>
  );
}

function Brand() {
  return (
    <span className="flex items-center gap-2 px-1 font-semibold">
      <img src="/console/icon.svg" alt="" width={20} height={20} />
      Wellspring
    </span>
  );
}
