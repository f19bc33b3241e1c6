import { Sidebar } from "@cloudflare/kumo";
import { Outlet, useLocation, useRouteContext } from "@tanstack/react-router";
import type { MouseEvent } from "react";

import { EmptyState } from "../components/empty-state.tsx";
import { focusPage } from "../components/focus.ts";
import { LinkButton } from "../components/link-button.tsx";
import { PageHeader } from "../components/page-header.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { LostDialog } from "./lost-dialog.tsx";
import { Navigation } from "./navigation.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { usePageFocus } from "./page-focus.ts";
import { Search, SearchButton, SearchIcon } from "./search.tsx";
import { useSessionGuard } from "./session-guard.ts";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";

/** The layout of every page: navigation at the side, or in a sheet at a phone's width, and the page beside it. */
export function Shell() {
  const { session } = useRouteContext({ from: "/shell" });
  const { pathname } = useLocation();
  useSessionGuard();
  usePageFocus();
  return (
    <Sidebar.Provider>
      <a
        href="#page"
        onClick={skip}
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
            <SearchButton />
          </div>
          {session.user && (
            <div className="mb-3 group-data-[state=collapsed]/sidebar:hidden">
              <WorkspaceSwitcher />
            </div>
          )}
          <Navigation isOperator={session.is_operator} isUser={session.user !== null} />
        </Sidebar.Content>
        <Sidebar.Footer>
          <AccountMenu session={session} />
        </Sidebar.Footer>
      </Sidebar>
      <div className="min-w-0 flex-1">
        <header className="flex h-14 items-center gap-2 border-b border-kumo-line bg-kumo-base px-4 md:hidden">
          <Sidebar.Trigger />
          <Brand />
          <SearchIcon />
        </header>
        <main id="page" tabIndex={-1} className="mx-auto max-w-7xl p-4 outline-none! md:p-8">
          <OfflineBanner />
          <LostDialog />
          <Search isOperator={session.is_operator} />
          {session.user || pathname.startsWith("/admin") ? <Outlet /> : <OperatorOnly />}
        </main>
      </div>
    </Sidebar.Provider>
  );
}

/** Leads to the page without a change of the URL, whose end names the dialog that is open. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  focusPage();
}

/** Operators without an account have nothing of their own to look at. */
function OperatorOnly() {
  return (
    <>
      <PageHeader title="Operator" />
      <EmptyState
        title="You are signed in as an operator"
        sentence="Sources, workflows and webhooks belong to users. Sign in with an API key, too, to see those of its user."
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <LinkButton to="/admin" variant="primary">
              Administer the platform
            </LinkButton>
            <LinkButton to="/sign-in">Sign in with an API key</LinkButton>
          </div>
        }
      />
    </>
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
