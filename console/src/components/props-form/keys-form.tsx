import { Button, Input } from "@cloudflare/kumo";
import { type FormEvent, useState } from "react";

import { api } from "../../api/client.ts";
import { useAction } from "../action.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { type Account, type CredentialField, fieldsOf } from "./accounts.ts";

/** Fields for the credentials of an account, and for its name. */
export function KeysForm({
  app,
  credentials,
  org,
  described,
  onConnected,
}: {
  app: string;
  credentials: string[];
  org: string | undefined;
  described: CredentialField[];
  onConnected: (account: Account) => void;
}) {
  const fields = described.length > 0 ? described : withFallback(fieldsOf("[]", credentials));
  const [name, setName] = useState(app);
  const [values, setValues] = useState<Record<string, string>>({});
  const connect = useAction({
    run: async () => {
      const body = {
        app,
        name,
        credentials: filled(values),
        ...(org !== undefined && { org_id: org }),
      };
      return (await api.post("/accounts", { body })).data;
    },
    done: ({ name: account }: Account) => `Account ${account} connected`,
    onDone: onConnected,
    isFailureShown: true,
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    // This form is nested in that of the source.
    event.stopPropagation();
    connect.mutate();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      {fields.map((field) => (
        <CredentialInput
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      <Input
        label="Name of the account"
        description="Distinguishes it from other accounts of the app"
        required
        maxLength={256}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {connect.error && <FailureNotice error={connect.error} />}
      <Button type="submit" variant="primary" className="self-end" loading={connect.isPending}>
        Connect
      </Button>
    </form>
  );
}

function CredentialInput({
  field: { label, description, placeholder, isOptional, isSecret },
  value,
  onChange,
}: {
  field: CredentialField;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Input
      label={label}
      type={isSecret ? "password" : "text"}
      autoComplete={isSecret ? "new-password" : "off"}
      required={!isOptional}
      {...(description !== undefined && { description })}
      {...(placeholder !== undefined && { placeholder })}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Code that passes on all of `$auth` names no credential: an API key is the most common one. */
function withFallback(fields: CredentialField[]): CredentialField[] {
  if (fields.length > 0) return fields;
  return [
    {
      name: "api_key",
      label: "api_key",
      description: undefined,
      placeholder: undefined,
      isOptional: false,
      isSecret: true,
    },
  ];
}

function filled(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
