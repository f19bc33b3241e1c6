import type { ReactNode } from "react";

import { healthOf } from "./account-health.ts";
import { Status } from "./status.tsx";

/** The health of an account; if it is lost, with its next step. */
export function HealthOfAccount({
  account,
  nextStep,
}: {
  account: Parameters<typeof healthOf>[0];
  /** A link that leads to connecting it again. */
  nextStep?: ReactNode;
}) {
  const { state, label, sentence, isLost } = healthOf(account);
  return (
    <span className="flex min-w-0 items-center gap-2" title={account.error ?? sentence}>
      <Status state={state} label={label} />
      {isLost && nextStep}
    </span>
  );
}
