import { CommandPalette } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

import { foundQuery, MAX_SEARCHED } from "../api/found.ts";
import { errorMessage } from "../api/messages.ts";
import { formatNumber } from "../components/format.ts";
import { useTypedText } from "../components/search-param.ts";
import { useOrg } from "./org.ts";
import { groupsOf, ownGroups, type SearchGroup, type SearchItem } from "./search-items.ts";

/** Debounce of the search's URL and requests, so that not every letter changes or sends one. */
const DELAY_MS = 120;

const NOTHING = "No result matches.";

const NOT_AMONG_FIRST = `None of ${formatNumber(MAX_SEARCHED)} has a record of this id. The others were not searched.`;

/** One field that finds everything: resources, pages and actions. */
export function SearchPalette({
  isOpen,
  text,
  setText,
  onClose,
  isOperator,
}: {
  isOpen: boolean;
  /** The text in the URL, which follows the typed one. */
  text: string;
  setText: (text: string) => void;
  onClose: () => void;
  isOperator: boolean;
}) {
  const { typed, setTyped } = useTypedText(text, setText, DELAY_MS);
  const own = typed.trim();
  const { groups, isSearching, isComplete, failure } = useGroups(own, text, isOperator);
  const choose = useChoice(onClose);
  return (
    <CommandPalette.Root<SearchGroup, SearchItem>
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
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

/** The results: pages and actions for each letter at once, resources for the text in the URL. */
function useGroups(typed: string, text: string, isOperator: boolean) {
  const { data, isFetching, error } = useQuery(foundQuery(text));
  const found = typed === "" ? [] : groupsOf(data?.found ?? []);
  return {
    groups: [...found, ...ownGroups(typed, isOperator)],
    isComplete: data?.isComplete !== false,
    isSearching: isFetching || typed !== text,
    failure: error ? errorMessage(error) : undefined,
  };
}

/** Opens the chosen result, here or in a new tab. Here, the browser's back button leads to the search again. */
function useChoice(close: () => void) {
  const router = useRouter();
  const org = useOrg();
  return ({ to }: SearchItem, isNewTab: boolean) => {
    if ("run" in to) {
      close();
      return to.run();
    }
    const url = new URL(`/console${to.path}`, location.origin);
    if (org !== undefined) url.searchParams.set("org", org);
    if (isNewTab) {
      close();
      window.open(url, "_blank", "noopener");
    } else router.history.push(`${url.pathname}${url.search}${url.hash}`);
  };
}
