import { Badge, Button, Input, Loader } from "@cloudflare/kumo";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactNode, useRef } from "react";

import { AppLink } from "../../components/app-link.tsx";
import type { Page } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCount } from "../../components/format.ts";
import { LinkButton } from "../../components/link-button.tsx";
import { useTypedParam } from "../../components/search-param.ts";
import { DeployHeader } from "./deploy-header.tsx";
import { type Found, readOwn, search } from "./registry.ts";

/** Maximum rows of the list in the document; more words find further results. */
const MAX_ROWS = 100;

/** Finds a component in the registry by its name, its app or its purpose, during typing. */
export function RegistryPage() {
  const { typed, setTyped, value: words } = useTypedParam("q");
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <DeployHeader />
      <div ref={list} onKeyDown={(event) => moveFocus(event, list.current)} role="presentation">
        <Input
          type="search"
          label="Find a component"
          description="By name, app, key or purpose. The arrow keys move through the results."
          placeholder="New issue in a repository"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <div className="mt-6">
          <Results words={words} />
        </div>
      </div>
    </>
  );
}

function Results({ words }: { words: string }) {
  const found = useFound(words);
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = found;
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader aria-label="Searching" />;
  const { rows, total } = rowsOf(data.pages);
  const hasMore = hasNextPage && rows.length < Math.min(total, MAX_ROWS);
  if (rows.length === 0) return words === "" ? <NothingOwn /> : <NothingFound words={words} />;
  return (
    <section aria-label="Components" className="flex flex-col gap-3">
      <Count isOwn={words === ""} total={total} isBusy={isFetching} />
      <ul className="overflow-hidden rounded-lg bg-kumo-base ring ring-kumo-line">
        {rows.map((one) => (
          <Result key={one.id} found={one} />
        ))}
      </ul>
      {hasMore && (
        <Button className="self-start" onClick={() => void fetchNextPage()}>
          More
        </Button>
      )}
    </section>
  );
}

function useFound(words: string) {
  const { org } = useSearch({ from: "/shell/deploy" });
  return useInfiniteQuery({
    queryKey: ["registry", org, words],
    queryFn: ({ pageParam, signal }) =>
      words === "" ? readOwn(org, pageParam, signal) : search(words, org, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, page_info: { end_cursor: cursor } }) =>
      data.length === 0 ? undefined : (cursor ?? undefined),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

function Count({ isOwn, total, isBusy }: { isOwn: boolean; total: number; isBusy: boolean }) {
  return (
    <output className="flex items-center gap-2 text-sm text-kumo-subtle">
      {isOwn ? "Your own components" : formatCount(total, "component")}
      {isBusy && <Loader size="sm" />}
    </output>
  );
}

function rowsOf(pages: Page<Found>[]): { rows: Found[]; total: number } {
  const rows = pages.flatMap((page) => page.data).slice(0, MAX_ROWS);
  return { rows, total: pages[0]?.page_info.total_count ?? 0 };
}

function Result({ found }: { found: Found }) {
  return (
    <li className="border-b border-kumo-hairline last:border-0">
      <AppLink
        data-result
        to={`/deploy/component/${encodeURIComponent(found.key ?? found.id)}`}
        className="block px-4 py-3 hover:bg-kumo-tint focus-visible:bg-kumo-tint"
      >
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium text-kumo-default">{found.name}</span>
          <span className="font-mono text-sm text-kumo-subtle">
            {found.key} {found.version}
          </span>
          {found.type === "action" && <Badge variant="outline">action</Badge>}
          {found.deprecated !== null && <Badge variant="warning">deprecated</Badge>}
        </span>
        {found.description !== null && <Description>{found.description}</Description>}
      </AppLink>
    </li>
  );
}

const LINKS = /\[([^\]]+)\]\([^)]*\)/g;

/** The description on one line; its links are part of the link around it. */
function Description({ children }: { children: string }): ReactNode {
  return (
    <span className="mt-0.5 block truncate text-sm text-kumo-subtle">
      {children.replaceAll(LINKS, "$1")}
    </span>
  );
}

function NothingFound({ words }: { words: string }) {
  return (
    <EmptyState
      title={`Nothing is found for “${words}”`}
      sentence="Try fewer words, or the name of the app. A missing component can be written, and published:"
      command="npx wellspring registry publish component.js"
      action={<LinkButton to="/deploy/code">Write code</LinkButton>}
    />
  );
}

function NothingOwn() {
  return (
    <EmptyState
      title="Search all components"
      sentence="Type above. Components that you publish under a key of your own are listed here."
      command="npx wellspring registry publish component.js"
      action={<LinkButton to="/deploy/code">Write code</LinkButton>}
    />
  );
}

/** Moves the focus with the arrow keys from the field through the results, and back. */
function moveFocus(event: KeyboardEvent, box: HTMLElement | null): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [...(box?.querySelectorAll<HTMLElement>("input, [data-result]") ?? [])];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  const next = stops[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (at === -1 || !next) return;
  event.preventDefault();
  next.focus();
}
