import { Input } from "@cloudflare/kumo";

import { issuesOf } from "./props-form/api-problems.ts";
import type { ConfigurableProp } from "./props-form/spec.ts";

/** The number of objects that take a source's HTTP events. `error`: the API's failure, whose rule about it is shown. */
export function ShardsField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (value: string) => void;
  error: unknown;
}) {
  const problem = issuesOf(error).find(({ path }) => path === "shards");
  return (
    <Input
      label="Shards"
      type="number"
      placeholder="1"
      className="w-28"
      description="Objects that take its HTTP events, 1 to 16: each takes some 1,000 requests a second."
      value={value}
      onChange={(event) => onChange(event.target.value)}
      {...(problem && { error: problem.message })}
    />
  );
}

/** The typed number for the API; undefined if the field is empty. */
export function shardsIn(typed: string): number | undefined {
  return typed.trim() === "" ? undefined : Number(typed);
}

/** Whether a component takes HTTP events, which shards take. */
export function takesRequests(declared: readonly ConfigurableProp[]): boolean {
  return declared.some(({ type }) => type === "$.interface.http");
}
