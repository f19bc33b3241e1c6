import { Button, Input, Select } from "@cloudflare/kumo";
import { PlusIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";

import { api } from "../../api/client.ts";
import { errorMessage } from "../../api/messages.ts";
import { useAction } from "../action.ts";
import { type ControlProps, usePropsFormState } from "./control.ts";

const MAX_STORES = 100;

/** A data store: an existing one, or a new one. */
export function DataStoreControl({ spec, value, onChange, texts }: ControlProps) {
  const { org } = usePropsFormState();
  const { data: stores, error } = useQuery({
    queryKey: ["data_stores", org],
    queryFn: ({ signal }) => storesOf(org, signal),
  });
  const chosen = typeof value === "string" ? value : null;
  return (
    <div className="flex flex-col gap-2">
      <Select<string>
        {...texts}
        className="w-full"
        placeholder={stores?.length === 0 ? "No data store yet" : "Choose a data store"}
        disabled={spec.isDisabled}
        value={chosen}
        onValueChange={(id) => onChange(id ?? undefined)}
        items={itemsOf(stores ?? [], chosen)}
      />
      {error && <p className="text-sm text-kumo-danger">{errorMessage(error)}</p>}
      <NewStore org={org} onCreated={onChange} />
    </div>
  );
}

/** The data stores by their names; an unlisted one by its id. */
function itemsOf(stores: { id: string; name: string }[], chosen: string | null) {
  const listed = Object.fromEntries(stores.map(({ id, name }) => [id, name]));
  return chosen === null || chosen in listed ? listed : { ...listed, [chosen]: chosen };
}

function NewStore({
  org,
  onCreated,
}: {
  org: string | undefined;
  onCreated: (id: string) => void;
}) {
  const [name, setName] = useState<string>();
  const create = useAction({
    run: async (given: string) => {
      const body = { name: given, ...(org !== undefined && { org_id: org }) };
      return (await api.post("/data_stores", { body })).data;
    },
    done: ({ name: created }: { name: string; id: string }) => `Data store ${created} created`,
    changes: [["data_stores", org]],
    onDone: ({ id }) => {
      setName(undefined);
      onCreated(id);
    },
  });
  if (name === undefined)
    return (
      <Button size="sm" icon={<PlusIcon />} className="self-start" onClick={() => setName("")}>
        New data store
      </Button>
    );
  const submit = () => {
    if (name.trim() !== "") create.mutate(name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    submit();
  };
  return (
    <div className="flex gap-2">
      <Input
        aria-label="Name of the new data store"
        placeholder="Name"
        ref={focusOnce}
        value={name}
        onKeyDown={onKeyDown}
        onChange={(event) => setName(event.target.value)}
      />
      <Button loading={create.isPending} onClick={submit}>
        Create
      </Button>
      <Button variant="ghost" onClick={() => setName(undefined)}>
        Cancel
      </Button>
    </div>
  );
}

/** The field replaces the pressed button, and takes its focus. */
function focusOnce(field: HTMLInputElement | null): void {
  field?.focus();
}

async function storesOf(org: string | undefined, signal: AbortSignal) {
  const query = { limit: MAX_STORES };
  const { data } =
    org === undefined
      ? await api.get("/users/me/data_stores", { params: { query }, signal })
      : await api.get("/workspaces/{id}/data_stores", {
          params: { path: { id: org }, query },
          signal,
        });
  return data;
}
