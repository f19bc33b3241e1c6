import { Link } from "@tanstack/react-router";

import { parkedEventsList } from "../../api/parked-events.ts";
import { LINK } from "../../components/links.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ParkedEvents } from "../../components/parked-events.tsx";
import { useOrg } from "../../layout/org.ts";

/** The events of all sources that are not run again, each with the record that is left of it. */
export function ParkedPage() {
  return (
    <>
      <PageHeader
        title="Parked events"
        description="Events that are not run again: their runs ended the isolate, or they went round in a loop. The record of each has the event, to send it once the cause is gone."
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
