import type { Failure } from "./evidence.ts";

/** The error inside the component that a rejection names, otherwise the error in the request. */
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
