import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { type App, appChoicesQuery, appQuery } from "../api/connect.ts";
import { FailureNotice } from "./failure-notice.tsx";
import type { ControlProps } from "./form-fields.tsx";
import { ChoicePicker } from "./props-form/choice-picker.tsx";
import type { Choice } from "./props-form/spec.ts";
import { useDebounced } from "./use-debounced.ts";

const DELAY_MS = 200;

/** A field that chooses an app by its slug. Typing searches all apps by name or slug. */
export function AppPicker({
  field: { label, description, isRequired = false },
  value,
  onChange,
}: ControlProps) {
  const client = useQueryClient();
  const [isOpened, setOpened] = useState(false);
  const [typed, setTyped] = useState("");
  const q = useDebounced(typed.trim(), DELAY_MS);
  const { data: app } = useQuery({ ...appQuery(value), enabled: value !== "" });
  const choices = useQuery({
    ...appChoicesQuery(q),
    enabled: isOpened,
    placeholderData: keepPreviousData,
  });
  const apps = choices.data ?? [];
  return (
    <ChoicePicker
      texts={{ label, description, required: isRequired }}
      value={value === "" ? undefined : { label: app?.name ?? value, value }}
      choices={choicesOf(apps)}
      onOpen={() => setOpened(true)}
      onSearch={setTyped}
      isLoading={choices.isFetching}
      notice={
        choices.error ? (
          <FailureNotice error={choices.error} onRetry={() => void choices.refetch()} />
        ) : undefined
      }
      onChange={(choice) => {
        const chosen = apps.find(({ name_slug }) => name_slug === choice.value);
        if (!chosen) return;
        // Its name is shown, although another text lists other apps.
        client.setQueryData(appQuery(chosen.name_slug).queryKey, chosen);
        onChange(chosen.name_slug);
      }}
    />
  );
}

/** Apps by their names; those that share one, by name and slug. */
function choicesOf(apps: App[]): Choice[] {
  const appsByName = Map.groupBy(apps, ({ name }) => name);
  return apps.map(({ name, name_slug }) => ({
    label: appsByName.get(name)?.length === 1 ? name : `${name} (${name_slug})`,
    value: name_slug,
  }));
}
