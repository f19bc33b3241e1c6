import { PageHeader } from "../../components/page-header.tsx";

/** What happened lately, and what needs attention. */
export function HomePage() {
  return <PageHeader title="Home" />;
}
