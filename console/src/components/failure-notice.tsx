import { Banner, Button } from "@cloudflare/kumo";
import { WarningCircleIcon } from "@phosphor-icons/react";
import { WellspringError } from "@wellspring/client";

import { errorMessage } from "../api/messages.ts";

/** A failure inside a page: the API's message, the id of the request, and a button to retry. */
export function FailureNotice({
  error,
  title,
  onRetry,
}: {
  error: unknown;
  title?: string;
  onRetry?: () => void;
}) {
  const message = errorMessage(error);
  const issues = issuesOf(error);
  return (
    <div role="alert">
      <Banner
        variant="error"
        size="sm"
        icon={<WarningCircleIcon weight="fill" />}
        title={title ?? message}
        description={
          <>
            {title !== undefined && <p>{message}</p>}
            {issues.length > 0 && (
              <ul className="list-disc pl-4">
                {issues.map((issue) => (
                  <li key={issue}>{issue}</li>
                ))}
              </ul>
            )}
            {error instanceof WellspringError && error.requestId !== undefined && (
              <p className="font-mono text-xs">Request {error.requestId}</p>
            )}
          </>
        }
        action={
          onRetry && (
            <Button size="sm" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      />
    </div>
  );
}

/** The refused fields, each with its rule. */
function issuesOf(error: unknown): string[] {
  const issues = error instanceof WellspringError ? error.details?.["issues"] : undefined;
  if (!Array.isArray(issues)) return [];
  return issues.flatMap((issue: unknown) => sentenceOf(issue) ?? []);
}

function sentenceOf(issue: unknown): string | undefined {
  if (!isObject(issue)) return undefined;
  const { path, message } = issue;
  if (typeof message !== "string") return undefined;
  const field = Array.isArray(path) ? path.join(".") : path;
  return typeof field === "string" && field !== "" ? `${field}: ${message}` : message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
