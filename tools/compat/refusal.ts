import type { Failure } from "./evidence.ts";

/** What a refusal says went wrong inside the component, else what is wrong with the request. */
export function failureIn({
  status,
  error,
  details,
}: {
  status: number;
  error: string;
  details: { error?: Failure };
}): Failure {
  return details.error ?? { name: String(status), message: error };
}
