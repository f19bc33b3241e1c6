import semver from "semver";

import * as store from "../db/components.ts";
import { RequestError } from "../domain/errors.ts";
import { type ComponentCode, componentFiles } from "./component-files.ts";
import {
  codeMissing,
  type Component,
  type ComponentWithCode,
  prepareComponent,
} from "./components.ts";
import type { Platform } from "./context.ts";
import { incomplete } from "./evaluation.ts";

/**
 * Publish a component globally under its key. Versions are semantic and rise; those that were published before stay
 * readable by their ids.
 */
export async function publishComponent(
  ctx: Platform,
  given: ComponentCode,
): Promise<ComponentWithCode> {
  const files = await componentFiles(ctx, given);
  if (files === undefined) throw codeMissing();
  const author = { owner: store.REGISTRY, user: store.REGISTRY };
  const component = await prepareComponent(ctx, author, files, given.url);
  const publishable = namedAndVersioned(component, files.entry);
  const { key, version } = publishable;

  const published = await store.registryComponent(ctx.db, key);
  if (published && !semver.gt(version, published.version)) throw notRisen(key, published.version);
  const isFirst = await store.publishComponent(ctx.db, publishable, published?.version);
  if (!isFirst) throw notRisen(key, "that another request has just published");
  return { ...component, code: files.files[files.entry] ?? "" };
}

function namedAndVersioned(component: Component, file: string): Component & { key: string } {
  const { key, version } = component;
  if (key === null) throw incomplete([{ path: "key", message: "is required" }], file);
  if (semver.valid(version) !== null) return { ...component, key };
  const message = `"${version}" is not a semantic version`;
  throw incomplete([{ path: "version", message }], file);
}

function notRisen(key: string, version: string): RequestError {
  return new RequestError(
    "conflict",
    `version: it must be higher than the version ${version} of ${key}`,
  );
}
