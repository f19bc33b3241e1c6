import type { Witness } from "../../tools/compat/evidence.ts";
import type { Step } from "../../tools/compat/steps.ts";

export const REQUESTS = [{ url: "https://a.test/v1/things", status: 200 }];

/** The evidence of a component with this code. */
export function witness(code: string, requests: Witness["requests"] = []): Witness {
  return { code: new Map([["components/a/sources/a/a.mjs", code]]), requests };
}

/** A failure, its evidence, and the party at fault. */
export type Row = [
  string,
  Step,
  { name: string; message: string; stack?: string },
  Witness,
  string,
];
