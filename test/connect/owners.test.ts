// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { externalUserOf } from "#db/connect/external-users.ts";
import { termsOf } from "#db/owners.ts";
import { quotaStateOf } from "#db/usage.ts";
import type { Id } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";

const DAY = new Date().toISOString().slice(0, 10);

async function newExternalUser() {
  const customer = await newCustomer();
  await newBrowser(customer, "one");
  const db = connect(env.DB);
  const place = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was just created.
    project: customer.project as Id<"project">,
    environment: "production",
  } as const;
  const user = await externalUserOf(db, place, "one");
  if (!user) throw new Error("There is no external user");
  return { ...customer, db, user };
}

test("an external user has the plan and the quotas of the project's owner", async () => {
  const { ada, db, user } = await newExternalUser();
  await operator.put(`/users/${ada.user.id}/quotas`, { daily_invocations_quota: 7 });
  expect(await termsOf(db, user.id)).toMatchObject({
    payerId: ada.user.id,
    plan: "free",
    email: ada.user.email,
    dailyInvocationsQuota: 7,
  });
  expect(await termsOf(db, "exu_nobody")).toBeUndefined();
});

test("the object of an external user knows its project", async () => {
  const { ada, project, user } = await newExternalUser();
  expect(await env.OWNERS.getByName(user.id).projectOf(user.id)).toBe(project);
  expect(await env.OWNERS.getByName(ada.user.id).projectOf(ada.user.id)).toBeNull();
});

test("usage of an external user's sources counts for the project's owner", async () => {
  const { ada, db, user } = await newExternalUser();
  const report = (invocations: number) => ({
    ownerId: user.id,
    emitterId: "dc_theirs" as const,
    days: [{ day: DAY, invocations, computeMs: 10 * invocations, credits: invocations }],
  });
  const theirs = env.OWNERS.getByName(user.id);
  for (const invocations of [2, 3, 2]) await theirs.reportUsage(report(invocations));
  const used = { invocations: 3, computeMs: 30, credits: 3 };
  const { body } = await ada.get("/users/me");
  expect(body.data).toMatchObject({ daily_invocations_used: 3 });
  expect((await quotaStateOf(db, user.id, DAY))?.used).toEqual(used);
});
