import { useQuery } from "@tanstack/react-query";

import { type Health, healthQuery } from "../../api/operations.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";

/** The health of the platform's dependencies. */
export function HealthPage() {
  const { data: health, error, refetch, dataUpdatedAt } = useQuery(healthQuery);
  const checks = Object.entries(health?.checks ?? {});
  return (
    <Section
      title="Health of every binding"
      description={health && <Summary health={health} readAt={dataUpdatedAt} />}
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!health && !error && <LoadingRows label="Health" />}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {checks.map(([name, state]) => (
          <li
            key={name}
            className="flex items-center justify-between gap-3 rounded-lg bg-kumo-base p-4 ring ring-kumo-line"
          >
            <span className="min-w-0 font-mono text-sm break-words">{name}</span>
            <Status state={state} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Summary({ health: { release, checks }, readAt }: { health: Health; readAt: number }) {
  const states = Object.values(checks);
  const failing = states.filter((state) => state === "failing" || state === "silent").length;
  return (
    <>
      {release !== "" && <>Release {release}. </>}
      Read <Time at={readAt} />.{" "}
      {failing === 0 ? "Everything works." : `${failing} of ${states.length} do not work.`}
    </>
  );
}
