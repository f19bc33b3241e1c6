import { Meter } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";

import { meQuery, type Workspace, workspacesQuery } from "../../api/account.ts";
import { CopyText } from "../../components/copy.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCompact, formatNumber } from "../../components/format.ts";
import { Card, Facts, Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";

/** The current user, and today's use of quotas. */
export function ProfilePage() {
  const { data: me, error, refetch } = useQuery(meQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  if (!me)
    return error ? (
      <FailureNotice error={error} onRetry={() => void refetch()} />
    ) : (
      <LoadingRows label="Profile" />
    );
  return (
    <>
      <Section title="Profile">
        <Facts
          facts={[
            ["User", me.username],
            ["E-mail", me.email],
            ["Id", <CopyText key="id" value={me.id} />],
          ]}
        />
      </Section>
      {"daily_invocations_quota" in me ? <FreeQuotas user={me} /> : <Credits user={me} />}
      {workspaces.map((workspace) => (
        <WorkspaceQuota key={workspace.id} workspace={workspace} />
      ))}
    </>
  );
}

type Quotas = {
  daily_invocations_quota: number;
  daily_invocations_used: number;
  daily_compute_time_quota: number;
  daily_compute_time_used: number;
};

function FreeQuotas({ user }: { user: Quotas }) {
  return (
    <Section title="Quotas of today" description="They reset at midnight UTC.">
      <Card>
        <div className="grid gap-6 md:grid-cols-2">
          <Quota
            label="Invocations"
            used={user.daily_invocations_used}
            quota={user.daily_invocations_quota}
          />
          <Quota
            label="Compute, seconds"
            used={user.daily_compute_time_used}
            quota={user.daily_compute_time_quota}
          />
        </div>
      </Card>
    </Section>
  );
}

/** The used part of a quota. A quota of 0 is none. */
export function Quota({ label, used, quota }: { label: string; used: number; quota: number }) {
  if (quota === 0)
    return (
      <p>
        {label}: {formatNumber(used)} <span className="text-kumo-subtle">(no quota)</span>
      </p>
    );
  return (
    <Meter
      label={label}
      value={Math.min(used, quota)}
      max={quota}
      customValue={`${formatCompact(used)} of ${formatCompact(quota)}`}
    />
  );
}

type Period = {
  billing_period_start_ts: number;
  billing_period_end_ts: number;
  billing_period_credits: number;
};

function Credits({ user }: { user: Period }) {
  return (
    <Section title="Billing period">
      <Facts
        facts={[
          ["Credits", formatNumber(user.billing_period_credits)],
          ["Began", <Time key="start" at={user.billing_period_start_ts * 1000} />],
          ["Ends", <Time key="end" at={user.billing_period_end_ts * 1000} />],
        ]}
      />
    </Section>
  );
}

function WorkspaceQuota({ workspace }: { workspace: Workspace }) {
  return (
    <Section title={`Quota of ${workspace.name}`} description="Of today, for all members together.">
      <Card>
        <Quota
          label="Credits"
          used={workspace.daily_credits_used}
          quota={workspace.daily_credits_quota}
        />
      </Card>
    </Section>
  );
}
