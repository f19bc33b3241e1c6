import { Button } from "@cloudflare/kumo";
import { type Icon, PlusIcon } from "@phosphor-icons/react";
import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { List } from "../../../api/pages.ts";
import { useAction } from "../../../components/action.ts";
import { AppPicker } from "../../../components/app-picker.tsx";
import { DialogButton } from "../../../components/dialog-button.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import type { FormField, Values } from "../../../components/form-fields.tsx";
import { FormDialog } from "../../../components/form.tsx";
import { ListTable } from "../../../components/list-table.tsx";
import { dialogOf } from "../../../components/opening.ts";
import { RowAction, RowButton } from "../../../components/row-action.tsx";
import { Section } from "../../../components/section.tsx";
import type { Column } from "../../../components/virtual-table.tsx";

const ROW_DIALOGS = ["edit", "delete"];

/** A kind of record that a project has for each app: its name and its calls to read, create, change and delete. */
export type AppThings<Item> = {
  /** `OAuth app`; the plural has an `s`. */
  noun: string;
  description: string;
  icon: Icon;
  emptySentence: string;
  /** Creates one in a terminal. */
  command: string;
  minWidth: string;
  list: List<Item>;
  /** The key of the changed queries. */
  queryKey: QueryKey;
  columns: Column<Item>[];
  nameOf: (item: Item) => string;
  /** The consequences of deleting one. */
  consequence: string;
  /** The fields of the form: of a new record, without the app, or of an existing one. */
  fieldsOf: (item?: Item) => FormField[];
  create: (app: string, values: Values) => Promise<unknown>;
  update: (item: Item, values: Values) => Promise<unknown>;
  remove: (item: Item) => Promise<unknown>;
};

/** A page with a project's records for single apps. */
export function AppThingsPage<Item extends { id: string }>({
  things,
}: {
  things: AppThings<Item>;
}) {
  const { noun, icon: ThingIcon, columns } = things;
  const plural = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`;
  return (
    <Section title={plural} description={things.description} actions={<NewThing things={things} />}>
      <ListTable
        label={plural}
        list={things.list}
        columns={[...columns, changesOf(things)]}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        minWidth={things.minWidth}
        empty={
          <EmptyState
            icon={<ThingIcon size={32} className="text-kumo-subtle" />}
            title={`No ${noun}s yet`}
            sentence={things.emptySentence}
            command={things.command}
            action={
              <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
                New {noun}
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

function changesOf<Item extends { id: string }>(things: AppThings<Item>): Column<Item> {
  return {
    id: "actions",
    header: "Change",
    width: "6.5rem",
    cell: (item) => <Changes things={things} item={item} />,
  };
}

function NewThing<Item>({ things }: { things: AppThings<Item> }): ReactNode {
  const { noun, queryKey, create, fieldsOf } = things;
  const action = useAction({
    run: (values: Values) => create(values["app"] ?? "", values),
    done: `The ${noun} was created`,
    changes: [queryKey],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New {noun}
        </Button>
      }
      title={`New ${noun}`}
      fields={[{ name: "app", label: "App", control: AppPicker, isRequired: true }, ...fieldsOf()]}
      submitLabel={`Create ${noun}`}
      onSubmit={async (values) => {
        await action.mutateAsync(values);
      }}
    />
  );
}

function Changes<Item extends { id: string }>({
  things,
  item,
}: {
  things: AppThings<Item>;
  item: Item;
}) {
  const { noun, queryKey, nameOf, fieldsOf } = things;
  const name = nameOf(item);
  const update = useAction({
    run: (values: Values) => things.update(item, values),
    done: `The ${noun} was saved`,
    changes: [queryKey],
    isFailureShown: true,
  });
  return (
    <span className="flex gap-1">
      <FormDialog
        name={dialogOf("edit", item.id)}
        trigger={<RowButton label={`Edit ${name}`} />}
        title={`${name}: ${noun}`}
        fields={fieldsOf(item)}
        submitLabel="Save"
        onSubmit={async (values) => {
          await update.mutateAsync(values);
        }}
      />
      <RowAction
        name={dialogOf("delete", item.id)}
        label={`Delete ${name}`}
        title={`Delete ${name}?`}
        description={things.consequence}
        confirmLabel={`Delete ${noun}`}
        run={() => things.remove(item)}
        done={`The ${noun} was deleted`}
        changes={[queryKey]}
      />
    </span>
  );
}
