import { Button } from "@cloudflare/kumo";
import { PlusIcon, XIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";

import { putRecord, recordQuery, type StoredRecord } from "../../api/data-stores.ts";
import { useAction } from "../../components/action.ts";
import { CodeEditor } from "../../components/code-editor.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { FormDialog } from "../../components/form.tsx";
import { Section } from "../../components/section.tsx";

/** The value of a JSON text. Throws an error with a message for people if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The value is not JSON: ${String(error)}`, { cause: error });
  }
}

function usePut(id: string) {
  return useAction({
    run: (record: { key: string; value: unknown; ttl?: number }) => putRecord(id, record),
    done: "Record saved",
    changes: [["data_stores", id]],
    isFailureShown: true,
  });
}

/** Writes a record under a new key. */
export function NewRecord({ id }: { id: string }) {
  const put = usePut(id);
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New record
        </Button>
      }
      title="New record"
      fields={[
        { name: "key", label: "Key", isRequired: true },
        {
          name: "value",
          label: "Value, as JSON",
          kind: "area",
          isRequired: true,
          placeholder: '{"greeting": "hello"}',
        },
        {
          name: "ttl",
          label: "Seconds until it expires",
          kind: "number",
          description: "Empty: it stays.",
        },
      ]}
      submitLabel="Save record"
      onSubmit={async ({ key = "", value = "", ttl }) => {
        await put.mutateAsync({ key, value: jsonOf(value), ...(ttl ? { ttl: Number(ttl) } : {}) });
      }}
    />
  );
}

/** One record, with its value as editable JSON. */
export function RecordSection({ id, recordKey }: { id: string; recordKey: string }) {
  const router = useRouter();
  const { data: record, error } = useQuery(recordQuery(id, recordKey));
  const close = () => void router.navigate({ to: "/settings/data-stores/$id", params: { id } });
  return (
    <Section
      title={recordKey}
      actions={
        <Button variant="ghost" icon={<XIcon />} onClick={close}>
          Close
        </Button>
      }
    >
      {error && <FailureNotice error={error} />}
      {record && <Editor key={record.updated_at_ms} id={id} record={record} />}
    </Section>
  );
}

function Editor({ id, record }: { id: string; record: StoredRecord }) {
  const [text, setText] = useState(() => JSON.stringify(record.value, null, 2) ?? "null");
  const [failure, setFailure] = useState<unknown>();
  const put = usePut(id);
  const save = async () => {
    setFailure(undefined);
    try {
      await put.mutateAsync({ key: record.key, value: jsonOf(text), ...ttlOf(record) });
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <CodeEditor
        label={`Value of ${record.key}`}
        language="json"
        value={text}
        onChange={setText}
      />
      {failure !== undefined && <FailureNotice error={failure} />}
      <div>
        <Button variant="primary" loading={put.isPending} onClick={() => void save()}>
          Save
        </Button>
      </div>
    </>
  );
}

/** The remaining time to live of a record, so that saving its value does not extend it. */
function ttlOf({ expires_at_ms }: StoredRecord): { ttl?: number } {
  if (expires_at_ms === null) return {};
  return { ttl: Math.max(1, Math.round((expires_at_ms - Date.now()) / 1000)) };
}
