import { CommandPalette } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { foundQuery, MAX_SEARCHED } from "../api/found.ts";
import { errorMessage } from "../api/messages.ts";
import { formatNumber } from "../components/format.ts";
import { useOrg } from "./org.ts";
import { groupsOf, ownGroups, type SearchGroup, type SearchItem } from "./search-items.ts";

/** Debounce of the search, so that not every letter sends a request. */
const DELAY_MS = 120;

const NOTHING = "No result matches.";

const NOT_AMONG_FIRST = `None of ${formatNumber(MAX_SEARCHED)} has a record of this id. The others were not searched.`;

/** One field that finds everything: resources, pages and actions. */
export function SearchPalette({
  isOpen,
  setOpen,
  isOperator,
}: {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  isOperator: boolean;
}) {
  const [typed, setTyped] = useState("");
  const { groups, isSearching, isComplete, failure } = useGroups(typed.trim(), isOperator);
  const choose = useChoice(() => {
    setOpen(false);
    setTyped("");
  });
  return (
    <CommandPalette.Root<SearchGroup, SearchItem>
      open={isOpen}
      onOpenChange={setOpen}
      items={groups}
      value={typed}
      onValueChange={setTyped}
      itemToStringValue={({ label }) => label}
      getSelectableItems={(all) => all.flatMap(({ items }) => items)}
      onSelect={(item, { newTab }) => choose(item, newTab)}
    >
      <CommandPalette.Input placeholder="Search everything: name, id, app or page" />
      <CommandPalette.List>
        <CommandPalette.Results>
          {(group: SearchGroup) => <Group key={group.label} group={group} choose={choose} />}
        </CommandPalette.Results>
        <CommandPalette.Empty>
          {failure ?? (isSearching ? "Searching …" : isComplete ? NOTHING : NOT_AMONG_FIRST)}
        </CommandPalette.Empty>
      </CommandPalette.List>
      <CommandPalette.Footer>
        <Hint keys="↑↓" text="Navigate" />
        <Hint keys="↵" text="Open" />
        <Hint keys="Ctrl ↵" text="Open in a new tab" />
      </CommandPalette.Footer>
    </CommandPalette.Root>
  );
}

function Group({
  group: { label, items },
  choose,
}: {
  group: SearchGroup;
  choose: (item: SearchItem, isNewTab: boolean) => void;
}) {
  return (
    <CommandPalette.Group items={items}>
      <CommandPalette.GroupLabel>{label}</CommandPalette.GroupLabel>
      <CommandPalette.Items>
        {(item: SearchItem) => (
          <CommandPalette.Item
            key={item.id}
            value={item}
            onClick={(event) => choose(item, event.metaKey || event.ctrlKey)}
          >
            <ItemText item={item} />
          </CommandPalette.Item>
        )}
      </CommandPalette.Items>
    </CommandPalette.Group>
  );
}

function ItemText({ item: { title, detail, icon: ItemIcon } }: { item: SearchItem }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      <ItemIcon size={16} className="shrink-0 text-kumo-subtle" />
      <span className="min-w-0 truncate">{title}</span>
      {detail !== undefined && (
        <span className="min-w-0 truncate font-mono text-xs text-kumo-subtle">{detail}</span>
      )}
    </span>
  );
}

function Hint({ keys, text }: { keys: string; text: string }) {
  return (
    <span className="flex items-center gap-2">
      <kbd className="rounded border border-kumo-hairline bg-kumo-base px-1.5 py-0.5 text-[10px]">
        {keys}
      </kbd>
      <span>{text}</span>
    </span>
  );
}

function useGroups(typed: string, isOperator: boolean) {
  const [q, setQ] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed), DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, isFetching, error } = useQuery(foundQuery(q));
  const found = typed === "" ? [] : groupsOf(data?.found ?? []);
  return {
    groups: [...found, ...ownGroups(typed, isOperator)],
    isComplete: data?.isComplete !== false,
    isSearching: isFetching || typed !== q,
    failure: error ? errorMessage(error) : undefined,
  };
}

/** Opens the chosen result, here or in a new tab. */
function useChoice(onChosen: () => void) {
  const router = useRouter();
  const org = useOrg();
  return ({ to }: SearchItem, isNewTab: boolean) => {
    onChosen();
    if ("run" in to) return to.run();
    const url = new URL(`/console${to.path}`, location.origin);
    if (org !== undefined) url.searchParams.set("org", org);
    if (isNewTab) window.open(url, "_blank", "noopener");
    else router.history.push(`${url.pathname}${url.search}${url.hash}`);
  };
}
