import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { meQuery } from "../../api/account.ts";
import { CopyText } from "../../components/copy.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { LINK } from "../../components/links.tsx";
import { Facts, Section } from "../../components/section.tsx";

/** The current user. */
export function ProfilePage() {
  const { data: me, error, refetch } = useQuery(meQuery);
  if (!me)
    return error ? (
      <FailureNotice error={error} onRetry={() => void refetch()} />
    ) : (
      <LoadingRows label="Profile" />
    );
  return (
    <Section title="Profile">
      <Facts
        facts={[
          ["User", me.username],
          ["E-mail", me.email],
          ["Id", <CopyText key="id" value={me.id} />],
        ]}
      />
      <Link to="/settings/usage" className={LINK}>
        Usage and quotas
      </Link>
    </Section>
  );
}
