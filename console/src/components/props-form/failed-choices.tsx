import { Button } from "@cloudflare/kumo";

import { errorMessage } from "../../api/messages.ts";

/** The reason why a component returned no choices. */
export function FailedChoices({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-2 text-sm">
      <p className="text-kumo-danger [overflow-wrap:anywhere]">{errorMessage(failure)}</p>
      <Button size="xs" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
