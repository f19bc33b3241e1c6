import type { HonoRequest } from "hono";

import { BUDGET_HEADER, budgetOf, type Cause, DEPTH_HEADER, depthOf } from "#domain/chains.ts";
import { HOPS_HEADER, hopsOf } from "#domain/deliveries.ts";

/** The cause of a request: none, or the run of the component that sent it. */
export function causeOf(request: HonoRequest): Cause {
  return {
    hops: hopsOf(request.header(HOPS_HEADER) ?? null),
    budget: budgetOf(request.header(BUDGET_HEADER) ?? null),
    depth: depthOf(request.header(DEPTH_HEADER) ?? null),
  };
}
