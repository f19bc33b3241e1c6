import { SlidersIcon } from "@phosphor-icons/react";

import {
  createOverride,
  deleteOverride,
  overridesList,
  updateOverride,
} from "../../../api/connect-apps.ts";
import type { AppOverride } from "../../../api/connect.ts";
import { apiCommand } from "../../../components/commands.ts";
import { CopyText } from "../../../components/copy.tsx";
import type { FormField, Values } from "../../../components/form-fields.tsx";
import type { Column } from "../../../components/virtual-table.tsx";
import { type AppThings, AppThingsPage } from "./app-list.tsx";
import { useScope } from "./scope.ts";

const COLUMNS: Column<AppOverride>[] = [
  {
    id: "name",
    header: "Setting",
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: "app", header: "App", width: "10rem", cell: ({ app }) => app.name },
  {
    id: "fields",
    header: "Fields",
    cell: ({ cfmap, fields = [] }) =>
      [...Object.keys(cfmap), ...fields.map(({ name }) => name)].join(", ") || "–",
  },
  { id: "id", header: "Id", width: "12rem", cell: ({ id }) => <CopyText value={id} /> },
];

/** A project's overrides of apps. A link that names an override uses it. */
export function OverridesPage() {
  const { project } = useScope();
  return <AppThingsPage things={overridesOf(project)} />;
}

function overridesOf(project: string): AppThings<AppOverride> {
  return {
    noun: "app setting",
    description:
      "Values of an app's fields that your users need not fill in. A link that names a setting (appOverrideId) uses it.",
    icon: SlidersIcon,
    emptySentence: "Create one where all your users share a region, a host or another field.",
    command: apiCommand("POST", `/connect/${project}/app_overrides`, {
      app: "shop",
      name: "Europe",
      cfmap: { region: "eu" },
    }),
    minWidth: "48rem",
    list: overridesList(project, {}),
    queryKey: ["connect", project, "app_overrides"],
    columns: COLUMNS,
    nameOf: ({ name }) => name,
    consequence: "Links that name it are refused. Accounts that it connected stay.",
    fieldsOf,
    create: async (app, values) => createOverride(project, { app, ...overrideOf(values) }),
    update: async ({ id }, values) => updateOverride(project, id, overrideOf(values)),
    remove: ({ id }) => deleteOverride(project, id),
  };
}

function fieldsOf(override?: AppOverride): FormField[] {
  return [
    { name: "name", label: "Name", isRequired: true, value: override?.name ?? "" },
    {
      name: "cfmap",
      label: "Values of fields, as JSON",
      kind: "area",
      description: 'Texts by the names of the fields, such as {"region": "eu"}. No secrets.',
      value: JSON.stringify(override?.cfmap ?? {}, null, 2),
    },
    {
      name: "oauth_app_id",
      label: "OAuth app to sign in by",
      placeholder: "oa_…",
      description: "Empty: that of the app.",
      value: override?.oauth_app_id ?? "",
    },
  ];
}

function overrideOf({ name = "", cfmap = "{}", oauth_app_id }: Values) {
  return { name, cfmap: textsOf(cfmap), oauth_app_id: oauth_app_id || null };
}

function textsOf(json: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`The values are not JSON: ${String(error)}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("The values must be an object");
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
