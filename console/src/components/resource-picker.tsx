import { Combobox } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";

import { type Found, foundQuery, type FoundType } from "../api/found.ts";

export type Picked = { id: string; name: string };

/** A field that finds a resource by its name or id during typing. `first` is listed before the results. */
export function ResourcePicker({
  label,
  description,
  types,
  first,
  value,
  onChange,
}: {
  label: string;
  description?: string;
  types: FoundType[];
  first: Picked[];
  value: Picked | null;
  onChange: (picked: Picked | null) => void;
}) {
  const [typed, setTyped] = useState("");
  const q = useDeferredValue(typed.trim());
  const { data } = useQuery(foundQuery(q));
  const items = q === "" || q === value?.name ? first : matching(data?.found ?? [], types);
  return (
    <Combobox<Picked>
      label={label}
      {...(description === undefined ? {} : { description })}
      required
      items={items}
      // The platform has filtered them.
      filter={null}
      value={value}
      inputValue={typed}
      onInputValueChange={(text) => setTyped(text)}
      onValueChange={(picked) => onChange(Array.isArray(picked) ? null : picked)}
      itemToStringLabel={({ name }) => name}
      isItemEqualToValue={(item, other) => item.id === other.id}
    >
      <Combobox.TriggerInput placeholder="Type a name or an id" />
      <Combobox.Content>
        <Combobox.Empty>No resource matches.</Combobox.Empty>
        <Combobox.List>
          {(item: Picked) => (
            <Combobox.Item key={item.id} value={item}>
              <span className="flex min-w-0 flex-col">
                <span className="truncate">{item.name}</span>
                <span className="truncate font-mono text-xs text-kumo-subtle">{item.id}</span>
              </span>
            </Combobox.Item>
          )}
        </Combobox.List>
      </Combobox.Content>
    </Combobox>
  );
}

function matching(found: Found[], types: FoundType[]): Picked[] {
  return found.filter(({ type }) => types.includes(type)).map(({ id, name }) => ({ id, name }));
}
