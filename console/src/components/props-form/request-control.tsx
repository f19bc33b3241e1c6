import { Button, Input, InputArea, Select } from "@cloudflare/kumo";
import { PlusIcon, XIcon } from "@phosphor-icons/react";

import type { ControlProps } from "./control.ts";
import { FieldGroup } from "./field-group.tsx";
import { isObject, shown } from "./spec.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

type Pair = { name: string; value: string };

/** An HTTP request that a component sends: method, URL, authentication, headers, parameters and body. */
export function RequestControl({ spec, value, onChange, texts }: ControlProps) {
  const request = isObject(value) ? value : {};
  const change = (fields: Record<string, unknown>) => onChange({ ...request, ...fields });
  return (
    <FieldGroup {...texts}>
      <div className="flex flex-wrap gap-2">
        <Select<string>
          aria-label="Method"
          value={textIn(request, "method") || "GET"}
          disabled={spec.isDisabled}
          onValueChange={(method) => change({ method })}
          items={Object.fromEntries(METHODS.map((method) => [method, method]))}
        />
        <Input
          aria-label="URL"
          type="url"
          placeholder="https://api.example.com/orders"
          className="min-w-40 flex-1"
          disabled={spec.isDisabled}
          value={textIn(request, "url")}
          onChange={(event) => change({ url: event.target.value })}
        />
      </div>
      <AuthFields auth={isObject(request["auth"]) ? request["auth"] : {}} onChange={change} />
      <Pairs
        noun="Header"
        pairs={pairsIn(request["headers"])}
        onChange={(headers) => change({ headers })}
      />
      <Pairs
        noun="Parameter"
        pairs={pairsIn(request["params"])}
        onChange={(params) => change({ params })}
      />
      <InputArea
        label="Body"
        autoResize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        className="font-mono text-sm"
        value={bodyText(request["body"])}
        onValueChange={(body) => change({ body: body === "" ? undefined : body })}
      />
    </FieldGroup>
  );
}

function AuthFields({
  auth,
  onChange,
}: {
  auth: Record<string, unknown>;
  onChange: (fields: { auth: Record<string, unknown> | undefined }) => void;
}) {
  const type = textIn(auth, "type") || "none";
  const field = (name: string, label: string, isSecret: boolean) => (
    <Input
      aria-label={label}
      placeholder={label}
      type={isSecret ? "password" : "text"}
      autoComplete={isSecret ? "new-password" : "off"}
      className="min-w-32 flex-1"
      value={textIn(auth, name)}
      onChange={(event) => onChange({ auth: { ...auth, [name]: event.target.value } })}
    />
  );
  return (
    <div className="flex flex-wrap gap-2">
      <Select<string>
        aria-label="Authentication"
        value={type}
        onValueChange={(next) =>
          onChange({ auth: next === "none" || next === null ? undefined : { type: next } })
        }
        items={{ none: "No authentication", basic: "Basic", bearer: "Bearer token" }}
      />
      {type === "basic" && field("username", "User name", false)}
      {type === "basic" && field("password", "Password", true)}
      {type === "bearer" && field("token", "Token", true)}
    </div>
  );
}

function Pairs({
  noun,
  pairs,
  onChange,
}: {
  noun: string;
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
}) {
  const replace = (index: number, fields: Partial<Pair>) =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...fields } : pair)));
  return (
    <div className="flex flex-col items-start gap-2">
      {pairs.map((pair, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no identity but their index.
        <div key={index} className="flex w-full gap-2">
          <Input
            aria-label={`${noun} ${index + 1}, name`}
            placeholder="Name"
            className="min-w-0 flex-1"
            value={pair.name}
            onChange={(event) => replace(index, { name: event.target.value })}
          />
          <Input
            aria-label={`${noun} ${index + 1}, value`}
            placeholder="Value"
            className="min-w-0 flex-1"
            value={pair.value}
            onChange={(event) => replace(index, { value: event.target.value })}
          />
          <Button
            variant="ghost"
            shape="square"
            icon={<XIcon />}
            aria-label={`Remove ${noun.toLowerCase()} ${index + 1}`}
            onClick={() => onChange(pairs.toSpliced(index, 1))}
          />
        </div>
      ))}
      <Button
        size="sm"
        icon={<PlusIcon />}
        onClick={() => onChange([...pairs, { name: "", value: "" }])}
      >
        Add a {noun.toLowerCase()}
      </Button>
    </div>
  );
}

function textIn(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

function pairsIn(value: unknown): Pair[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isObject)
    .map((pair) => ({ name: textIn(pair, "name"), value: shown(pair["value"] ?? "") }));
}

function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  return isObject(body) ? textIn(body, "raw") || JSON.stringify(body, null, 2) : "";
}
