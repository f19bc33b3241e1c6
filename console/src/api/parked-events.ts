import type { components } from "@wellspring/client";

import { api } from "./client.ts";
import { type List, onePage } from "./pages.ts";

export type ParkedEvent = components["schemas"]["ParkedEvent"];

/** The parked events of a workspace, or of all resources that the user may see. */
export function parkedEventsList(org: string | undefined): List<ParkedEvent> {
  return {
    queryKey: ["parked_events", org],
    read: async ({ signal }) => {
      const query = org === undefined ? {} : { org_id: org };
      return onePage((await api.get("/parked_events", { params: { query }, signal })).data);
    },
  };
}
