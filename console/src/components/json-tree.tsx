import { Button } from "@cloudflare/kumo";
import { CaretDownIcon, CaretRightIcon } from "@phosphor-icons/react";
import { useState } from "react";

import { CopyButton } from "./copy.tsx";
import { formatBytes, formatCount, formatNumber } from "./format.ts";

/** Initially shown entries of an object or array, and further ones per click. */
const MAX_ENTRIES = 50;

/** Initially shown characters of a text. */
const MAX_TEXT_LENGTH = 300;

/** Initially open levels of a tree. */
const OPEN_DEPTH = 2;

/** An object with more entries than this is initially closed, unless it is the root. */
const MAX_OPEN_ENTRIES = 20;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

type Entry = { key: string; value: unknown; path: string };

/**
 * Any JSON as a tree that renders only open levels. Each line copies its value and its path, which begins with `root`.
 */
export function JsonTree({ value, root = "event" }: { value: unknown; root?: string }) {
  return (
    <ul className="min-w-0 overflow-x-auto font-mono text-sm leading-6" aria-label={root}>
      <Node entry={{ key: root, value, path: root }} depth={0} />
    </ul>
  );
}

function Node({ entry, depth }: { entry: Entry; depth: number }) {
  const { value } = entry;
  return typeof value === "object" && value !== null ? (
    <Branch entry={entry} value={value} depth={depth} />
  ) : (
    <li>
      <div className="group flex items-start gap-1 pl-5">
        <Key name={entry.key} />
        <Leaf value={value} />
        <Copies entry={entry} />
      </div>
    </li>
  );
}

function Branch({ entry, value, depth }: { entry: Entry; value: object; depth: number }) {
  const entries = Object.entries(value);
  const [isOpen, setOpen] = useState(isOpenAtFirst(depth, entries.length));
  const isArray = Array.isArray(value);
  const isEmpty = entries.length === 0;
  const Caret = isOpen ? CaretDownIcon : CaretRightIcon;
  return (
    <li>
      <div className="group flex items-start gap-1">
        <button
          type="button"
          aria-expanded={isOpen}
          disabled={isEmpty}
          onClick={() => setOpen(!isOpen)}
          className="flex cursor-pointer items-center gap-1 rounded-xs text-left disabled:cursor-default"
        >
          <Caret size={16} className={isEmpty ? "invisible" : "text-kumo-subtle"} />
          <Key name={entry.key} />
          <span className="whitespace-nowrap text-kumo-subtle">
            {isArray ? "[ ]" : "{ }"} {formatCount(entries.length, isArray ? "item" : "key")}
          </span>
        </button>
        <Copies entry={entry} />
      </div>
      {isOpen && !isEmpty && (
        <Entries
          depth={depth}
          entries={entries.map(([key, child]) => ({
            key,
            value: child,
            path: pathOf(entry.path, key, isArray),
          }))}
        />
      )}
    </li>
  );
}

function isOpenAtFirst(depth: number, size: number): boolean {
  return depth === 0 || (depth < OPEN_DEPTH && size <= MAX_OPEN_ENTRIES);
}

function Entries({ entries, depth }: { entries: Entry[]; depth: number }) {
  const [shown, setShown] = useState(MAX_ENTRIES);
  const rest = entries.length - shown;
  return (
    <ul className="ml-2 border-l border-kumo-hairline pl-2">
      {entries.slice(0, shown).map((entry) => (
        <Node key={entry.key} entry={entry} depth={depth + 1} />
      ))}
      {rest > 0 && (
        <li className="pl-5">
          <Button size="xs" variant="ghost" onClick={() => setShown(shown + MAX_ENTRIES)}>
            Show {Math.min(rest, MAX_ENTRIES)} more of {formatNumber(rest)}
          </Button>
        </li>
      )}
    </ul>
  );
}

function Key({ name }: { name: string }) {
  return (
    <span className="whitespace-nowrap text-kumo-default">
      {name}
      <span className="text-kumo-subtle">:</span>
    </span>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className="text-kumo-info">{String(value)}</span>;
  const text = isWhole ? value : value.slice(0, MAX_TEXT_LENGTH);
  return (
    <span className="min-w-0 wrap-anywhere whitespace-pre-wrap text-kumo-success">
      {JSON.stringify(text)}
      {value.length > MAX_TEXT_LENGTH && (
        <Button size="xs" variant="ghost" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all (${formatBytes(new Blob([value]).size)})`}
        </Button>
      )}
    </span>
  );
}

/** Visible under the pointer or with the focus, and always without a hovering pointer. */
function Copies({ entry: { value, path } }: { entry: Entry }) {
  const text = () => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  return (
    <span className="flex shrink-0 opacity-0 focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
      <CopyButton isIconOnly label={`Copy the value of ${path}`} text={text} />
      <CopyButton isIconOnly kind="path" label={`Copy the path ${path}`} text={() => path} />
    </span>
  );
}

function pathOf(parent: string, key: string, isArray: boolean): string {
  if (isArray) return `${parent}[${key}]`;
  return IDENTIFIER.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}
