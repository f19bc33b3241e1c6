import { Input, Loader } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId, useState } from "react";

import { type Candidate, candidatesQuery, type ListenerKind } from "../../api/listeners.ts";
import { AppLink } from "../../components/app-link.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { useOrg } from "../../layout/org.ts";

/** Chooses one of the webhooks, workflows or sources, found by a part of its name. */
export function Candidates({
  kind,
  except,
  chosen,
  onChoose,
}: {
  kind: ListenerKind;
  except: string;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const [text, setText] = useState("");
  const filter = useDeferredValue(text.trim());
  const { data, error } = useQuery(candidatesQuery(kind, filter, useOrg()));
  const found = data?.filter(({ id }) => id !== except);
  return (
    <div className="flex flex-col gap-2">
      <Input
        type="search"
        label={`Find a ${kind}`}
        placeholder="A part of its name or id"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {error && <FailureNotice error={error} />}
      {found === undefined ? (
        !error && <Loader />
      ) : found.length === 0 ? (
        <Nothing kind={kind} isFiltered={filter !== ""} />
      ) : (
        <Options kind={kind} found={found} chosen={chosen} onChoose={onChoose} />
      )}
    </div>
  );
}

function Nothing({ kind, isFiltered }: { kind: ListenerKind; isFiltered: boolean }) {
  if (isFiltered) return <p className="text-sm text-kumo-subtle">No {kind} matches.</p>;
  return (
    <p className="text-sm text-kumo-subtle">
      There is no {kind} to choose.{" "}
      <AppLink to={`/${kind}s`} className="text-kumo-link underline">
        Make one
      </AppLink>
    </p>
  );
}

function Options({
  kind,
  found,
  chosen,
  onChoose,
}: {
  kind: ListenerKind;
  found: Candidate[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="max-h-56 overflow-y-auto rounded-lg ring ring-kumo-line">
      <legend className="sr-only">Which {kind}</legend>
      {found.map((one) => (
        <label
          key={one.id}
          className="flex cursor-pointer items-center gap-3 border-b border-kumo-hairline px-3 py-2 last:border-0 has-checked:bg-kumo-tint"
        >
          <input
            type="radio"
            name={name}
            aria-label={one.name || one.url || one.id}
            checked={one.id === chosen}
            onChange={() => onChoose(one.id)}
          />
          <span className="min-w-0">
            <span className="block truncate">{one.name || one.url || one.id}</span>
            <span className="block truncate font-mono text-xs text-kumo-subtle">
              {one.id}
              {!one.active && ", inactive"}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
