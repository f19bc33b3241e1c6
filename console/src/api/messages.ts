import { WellspringError } from "@wellspring/client";

/** The message for a failed request, in one sentence. */
export function errorMessage(error: unknown): string {
  if (error instanceof WellspringError) return error.message;
  if (!navigator.onLine) return "You are offline";
  return error instanceof Error
    ? `The platform cannot be reached: ${error.message}`
    : String(error);
}
