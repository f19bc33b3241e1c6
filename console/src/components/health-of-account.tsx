import { Status } from "./status.tsx";

type Health = { healthy: boolean; dead: boolean; error?: string | null };

/** The health of an account, with the reason of a failure. */
export function HealthOfAccount({ account: { healthy, dead, error } }: { account: Health }) {
  const state = dead ? "dead" : healthy ? "healthy" : "unhealthy";
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Status state={state} />
      {error !== undefined && error !== null && (
        <span className="min-w-0 truncate text-sm text-kumo-subtle" title={error}>
          {error}
        </span>
      )}
    </span>
  );
}
