import { Badge, Button } from "@cloudflare/kumo";
import { BroadcastIcon, PauseIcon, PlayIcon, XIcon } from "@phosphor-icons/react";
import { type ComponentType, type ReactNode, useEffect, useMemo, useRef } from "react";

import type { EventSummary } from "../../api/sources.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCount } from "../../components/format.ts";
import { useSearchParam } from "../../components/search-param.ts";
import { type Column, VirtualTable } from "../../components/virtual-table.tsx";
import type { Feed } from "./live.ts";

/** The selected event, with the loaded fields. */
export type DetailProps = {
  emitterId: string;
  eventId: string;
  known: EventSummary | undefined;
};

/** A live table, newest first, with the selected row beside it. */
export function FeedView({
  label,
  feed,
  rows,
  columns,
  filters,
  empty,
  emitterId,
  Detail,
}: {
  label: string;
  emitterId: string;
  feed: Feed;
  /** The events of the feed that match the filters. */
  rows: EventSummary[];
  columns: Column<EventSummary>[];
  filters?: ReactNode;
  empty: ReactNode;
  /** Renders the selected event. */
  Detail: ComponentType<DetailProps>;
}) {
  const [chosen] = useSearchParam("event");
  const hasChosen = chosen !== "";
  const known = feed.events.find(({ id }) => id === chosen);
  const shownColumns = useMemo(
    () => (hasChosen ? withoutChannel(columns) : columns),
    [columns, hasChosen],
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        {filters}
        <LiveControl feed={feed} />
      </div>
      {feed.failure && <FailureNotice error={feed.failure} onRetry={feed.retry} />}
      <div className={hasChosen ? "grid gap-4 xl:grid-cols-2" : ""}>
        {hasChosen && (
          <Chosen id={chosen}>
            <Detail key={chosen} emitterId={emitterId} eventId={chosen} known={known} />
          </Chosen>
        )}
        <div className="min-w-0">
          <Rows label={label} feed={feed} rows={rows} columns={shownColumns} empty={empty} />
        </div>
      </div>
    </div>
  );
}

/** Beside the chosen event, which shows its channel itself, the list has less room. */
function withoutChannel(columns: Column<EventSummary>[]): Column<EventSummary>[] {
  return columns.filter(({ id }) => id !== "channel");
}

/** The chosen event. It takes the focus from the link that chose it, and returns it there. */
function Chosen({ id, children }: { id: string; children: ReactNode }) {
  const [, choose] = useSearchParam("event");
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (linkOf(id)?.matches(":focus") === true) box.current?.focus();
  }, [id]);
  const close = () => {
    choose("");
    linkOf(id)?.focus();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its button closes it, too.
    <section
      ref={box}
      tabIndex={-1}
      aria-label="The chosen one"
      onKeyDown={(event) => {
        // In a dialog of the event, Escape closes that.
        if (event.key === "Escape" && box.current?.contains(document.activeElement) === true)
          close();
      }}
      className="relative order-first min-w-0 self-start rounded-lg bg-kumo-base p-4 ring ring-kumo-line xl:order-last"
    >
      <div className="absolute top-2 right-2">
        <Button
          variant="ghost"
          size="sm"
          shape="square"
          icon={<XIcon />}
          aria-label="Close"
          onClick={close}
        />
      </div>
      {children}
    </section>
  );
}

function linkOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-event="${CSS.escape(id)}"]`);
}

function Rows({
  label,
  feed,
  rows,
  columns,
  empty,
}: {
  label: string;
  feed: Feed;
  rows: EventSummary[];
  columns: Column<EventSummary>[];
  empty: ReactNode;
}) {
  const [chosen] = useSearchParam("event");
  if (feed.isLoading) return <LoadingRows label={label} />;
  if (rows.length === 0) return empty;
  return (
    <VirtualTable
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      minWidth="28rem"
      isSelected={({ id }) => id === chosen}
    />
  );
}

function LiveControl({ feed: { isPaused, waiting, failure, setPaused } }: { feed: Feed }) {
  return (
    <div className="ml-auto flex items-center gap-3">
      <span aria-live="polite" className="text-sm text-kumo-subtle">
        {isPaused ? (
          `Paused, ${formatCount(waiting, "new one")} waiting`
        ) : failure ? (
          "Not connected"
        ) : (
          <Badge variant="success" icon={<BroadcastIcon />}>
            Live
          </Badge>
        )}
      </span>
      <Button
        size="sm"
        icon={isPaused ? <PlayIcon /> : <PauseIcon />}
        onClick={() => setPaused(!isPaused)}
      >
        {isPaused ? "Resume the list" : "Pause the list"}
      </Button>
    </div>
  );
}
