import { Link } from "@tanstack/react-router";

import { parkedEventsList } from "../../api/parked-events.ts";
import { LINK } from "../../components/links.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ParkedEvents } from "../../components/parked-events.tsx";
import { useOrg } from "../../layout/org.ts";

/** The parked events of all sources, each with a link to its record. */
export function ParkedPage() {
  return (
    <>
      <PageHeader
        title="Parked events"
        description="Events that are not run again: their runs crashed the isolate, or they were in a loop. The record of each has the event, to send it after the cause is fixed."
        actions={
          <Link to="/sources" className={`${LINK} self-center`}>
            All sources
          </Link>
        }
      />
      <ParkedEvents list={parkedEventsList(useOrg())} isOwn />
    </>
  );
}
