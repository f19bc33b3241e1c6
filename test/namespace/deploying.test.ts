import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "../../src/db/client.ts";
import { componentById } from "../../src/db/components.ts";
import type { Id } from "../../src/domain/ids.ts";
import { GRACE_MS } from "../../src/namespace/register.ts";
import { openPlatform } from "../../src/platform.ts";
import { scriptName } from "../../src/sandbox/script.ts";
import { createSource } from "../../src/services/sources/create.ts";
import { updateSource } from "../../src/services/sources/update.ts";
import { sweep } from "../../src/services/sweep.ts";
import { signUp } from "../support/client.ts";
import { plan, uploaded } from "../support/cloudflare/client.ts";
import { HOOKED_SOURCE } from "../support/source-code.ts";

const platform = () => openPlatform({ ...env, USER_CODE: "dispatch" });

/** A user of a deployment that runs components as scripts, with a saved component. */
async function newUser() {
  const ada = await signUp();
  const ctx = { ...platform(), actor: ada.user };
  const save = async (version: string) => {
    const component_code = HOOKED_SOURCE.replace("0.0.1", version);
    const { id } = (await ada.post("/components", { component_code })).body.data;
    const component = await componentById(connect(env.DB), ada.user.id, id as Id<"component">);
    if (!component) throw new Error(`${id} was not saved`);
    const name = await scriptName({ owner: ada.user.id, bundleHash: component.bundleHash });
    return { id: component.id, name };
  };
  return { ada, ctx, save };
}

const REFUSAL = {
  status: 400,
  text: `{"success":false,"errors":[{"code":10021,"message":"no"}],"messages":[],"result":null}`,
};

test("a source is created with its script, which is tagged with what it is", async () => {
  const { ctx, save } = await newUser();
  const component = await save("0.0.1");
  await createSource(ctx, { componentId: component.id });
  expect(await uploaded(component.name)).toMatchObject({
    tags: [
      `owner.${ctx.actor.id}`,
      expect.stringMatching(/^bundle\.[0-9a-f]{64}$/),
      expect.stringMatching(/^component\./),
      "version.0.0.1",
    ],
  });
});

test("a source whose script cannot be had is not created, and the refusal says why", async () => {
  const { ada, ctx, save } = await newUser();
  const component = await save("0.0.1");
  await plan(component.name, { faults: [{ answer: REFUSAL }] });
  await expect(createSource(ctx, { componentId: component.id })).rejects.toMatchObject({
    code: "upstream_failed",
    message: expect.stringContaining("could not be deployed; try again in 60 s: Cloudflare's API"),
    details: { retry_after_seconds: 60 },
  });
  expect((await ada.get("/users/me/sources")).body.data).toEqual([]);
});

test("an update whose script cannot be had changes nothing", async () => {
  const { ada, ctx, save } = await newUser();
  const [before, after] = [await save("0.0.1"), await save("0.0.2")];
  const { id } = await createSource(ctx, { componentId: before.id });
  await plan(after.name, { faults: [{ answer: REFUSAL }] });
  await expect(updateSource(ctx, id, { componentId: after.id })).rejects.toMatchObject({
    code: "upstream_failed",
  });
  expect((await ada.get(`/sources/${id}`)).body.data).toMatchObject({ component_id: before.id });
  expect(await updateSource(ctx, id, { componentId: after.id })).toMatchObject({
    componentId: after.id,
  });
});

test("the sweep deletes scripts that no source runs, and never one that a source runs", async () => {
  const { ctx, save } = await newUser();
  const [old, current] = [await save("0.0.1"), await save("0.0.2")];
  const { id } = await createSource(ctx, { componentId: old.id });
  await sweep(platform());
  await passDays(2);
  await sweep(platform());
  expect(await uploaded(old.name)).not.toBeNull();

  await updateSource(ctx, id, { componentId: current.id });
  await passDays(2);
  await sweep(platform());
  // Nobody has used it since just now.
  expect(await uploaded(old.name)).not.toBeNull();
  await passDays(2);
  await sweep(platform());
  expect(await uploaded(old.name)).toBeNull();
  expect(await uploaded(current.name)).not.toBeNull();
});

function passDays(days: number): Promise<void> {
  const keeper = env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);
  return runInDurableObject(keeper, (_, { storage }) => {
    storage.sql.exec(
      `UPDATE scripts SET provided_ms = provided_ms - ?1, unused_since_ms = unused_since_ms - ?1`,
      days * GRACE_MS,
    );
  });
}
