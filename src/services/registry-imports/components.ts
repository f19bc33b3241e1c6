import type { ArchivedComponent, SourceFiles } from "#bundler/contract.ts";
import { publishedOfFiles } from "#db/components.ts";
import { versionOf } from "#db/published.ts";
import {
  type ItemOutcome,
  type NotedOutcome,
  noteOutcome,
  waitingItems,
} from "#db/registry-import-items.ts";
import type { RegistryImport } from "#db/registry-imports.ts";
import { mapAtMost } from "#domain/concurrency.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import { RequestError } from "#domain/errors.ts";
import { sha256Hex } from "#domain/hash.ts";
import { licenseOf } from "#domain/licenses.ts";
import type { Plan } from "#sandbox/worker-loader.ts";
import { log } from "#telemetry/log.ts";

import { type Author, type Component, newComponent } from "../components.ts";
import type { AppContext } from "../context.ts";
import { bundleOf, definitionOf } from "../evaluation.ts";
import { publish } from "../registry.ts";
import { planToRun } from "../usage.ts";
import { filesHashOf, isSameCode, keepFiles } from "./built.ts";

/** Maximum components that one step of the workflow imports. */
export const COMPONENTS_A_STEP = 50;

/**
 * Components that are prepared side by side: while one is bundled, another is evaluated or stored. Cloudflare frees an
 * isolate's place some time after its call, so that a request with four places may use two.
 */
const AT_ONCE = 2;

/** Maximum length of a stored refusal. */
const MAX_MESSAGE = 500;

/** Temporary refusals: the step is retried. */
const WAITED_FOR: ReadonlySet<string> = new Set([
  "overloaded",
  "quota_exceeded",
  "upstream_failed",
]);

/** Refusals of valid components: their version is taken, or their licence is not on the list. */
const REFUSALS: ReadonlySet<string> = new Set(["conflict", "forbidden"]);

/** The dependencies of importing components. */
type Importing = { author: Author; plan: Plan | undefined; url: string | null };

/** Some components of an archive. `isLast`: whether this is the last attempt. */
export type Range = { first: number; count: number; isLast: boolean };

/**
 * Import those of some components of an archive that have no outcome yet. A component that cannot be imported stops no
 * other. Throws if some must be retried, and then skips those already imported.
 */
export async function importComponents(
  ctx: AppContext,
  { id, ownerId: owner, userId: user, url }: RegistryImport,
  range: Range,
): Promise<void> {
  let items = await waitingItems(ctx.db, id, range);
  if (items.length === 0) return;
  const importing = { author: { owner, user }, plan: await planToRun(ctx, owner), url };
  const delays: RequestError[] = [];
  while (items.length > 0) {
    const archived = await ctx.imports.files(
      id,
      items.map(({ path }) => path),
    );
    if (archived.length === 0) throw new Error(`No component of ${id} was read`);
    const group = items.slice(0, archived.length);
    const sent = group.flatMap(({ number }, index) => {
      const component = archived[index];
      return component ? [{ number, component }] : [];
    });
    delays.push(...(await importGroup(ctx, { id, importing, isLast: range.isLast }, sent)));
    items = items.slice(archived.length);
  }
  const [delay] = delays;
  if (delay === undefined) return;
  const { requestId: request_id } = ctx;
  log("import_delayed", { request_id, owner_id: owner, count: delays.length, error: delay });
  if (!range.isLast) throw delay;
}

type Group = { id: RegistryImport["id"]; importing: Importing; isLast: boolean };
type Archived = { number: number; component: ArchivedComponent };

/** Import components with loaded files. Returns the refusals of those to retry. */
async function importGroup(
  ctx: AppContext,
  { id, importing, isLast }: Group,
  archived: readonly Archived[],
): Promise<RequestError[]> {
  const noted = (outcome: ItemOutcome) => ({ id, outcome, at: ctx.now() });
  const note = (outcome: ItemOutcome) => noteOutcome(ctx.db, noted(outcome));
  const sent: (Sent & { number: number })[] = [];
  for (const { number, component } of archived) {
    if (component.ok) {
      const files = { entry: component.entry, files: component.files };
      sent.push({ number, files, hash: await filesHashOf(files) });
    } else await note({ ...failed(component.reason), number });
  }
  const hashes = sent.map(({ hash }) => hash);
  const { owner } = importing.author;
  const known = new Map(
    (await publishedOfFiles(ctx.db, owner, hashes)).map((found) => [found.filesHash, found]),
  );
  const delays: RequestError[] = [];
  await mapAtMost(AT_ONCE, sent, async ({ number, files, hash }) => {
    const license = licenseOf(files.files, files.entry);
    const itemOf = (outcome: Outcome) => ({ ...outcome, number, license });
    const found = known.get(hash);
    if (found) return note(itemOf(outcomeOf(found, "unchanged")));
    const notedAs = (outcome: Outcome) => noted(itemOf(outcome));
    const became = await importOne(ctx, importing, { files, hash, license, notedAs });
    if (became === undefined) return;
    const isDelayed = became instanceof RequestError;
    if (isDelayed) delays.push(became);
    if (isDelayed && !isLast) return;
    await note(itemOf(isDelayed ? failureOf(became, NOTHING_KNOWN) : became));
  });
  return delays;
}

type Outcome = Omit<ItemOutcome, "number">;
type Sent = { files: SourceFiles; hash: string };
type Publishing = Sent & {
  license: string | null;
  notedAs: (outcome: Outcome) => NotedOutcome;
};

function outcomeOf({ key, version }: Component, state: "published" | "unchanged"): Outcome {
  return { state, key, version, license: null, message: null };
}

/** Metadata of a component from its definition. */
type About = Pick<Outcome, "key" | "version">;

const NOTHING_KNOWN: About = { key: null, version: null };

/**
 * Publish a component and record the outcome in the same transaction. Returns the unrecorded outcome if it is not
 * published; a refusal if it must be retried.
 */
async function importOne(
  ctx: AppContext,
  importing: Importing,
  { license, notedAs, ...sent }: Publishing,
): Promise<Outcome | RequestError | undefined> {
  let about = NOTHING_KNOWN;
  try {
    const component = await imported(ctx, importing, sent);
    about = { key: component.key, version: component.version };
    const noted = notedAs(outcomeOf(component, "published"));
    await publish(ctx, component, { file: sent.files.entry, license, noted });
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestError)) {
      log("component_unimported", {
        request_id: ctx.requestId,
        owner_id: importing.author.owner,
        error,
      });
      return {
        state: "failed",
        ...about,
        license: null,
        message: "The platform failed: import it again",
      };
    }
    if (WAITED_FOR.has(error.code)) return error;
    if (
      error.code === "conflict" &&
      (await isPublishedAs(ctx, importing.author, about, sent.files))
    )
      return { ...NOTHING_KNOWN, ...about, state: "unchanged", license: null, message: null };
    return failureOf(error, about);
  }
}

/** Whether a version is already published with the same code: by itself, so that its files have other paths. */
async function isPublishedAs(
  ctx: AppContext,
  { owner }: Author,
  { key, version }: About,
  files: SourceFiles,
): Promise<boolean> {
  if (key === null || version === null) return false;
  const published = await versionOf(ctx.db, owner, { key, version });
  return published !== undefined && isSameCode(ctx, published, files);
}

function failureOf({ code, message }: RequestError, about: About): Outcome {
  return { ...failed(message), ...about, state: REFUSALS.has(code) ? "refused" : "failed" };
}

function failed(message: string): Outcome {
  const text = message.slice(0, MAX_MESSAGE);
  return { state: "failed", ...NOTHING_KNOWN, license: null, message: text };
}

/**
 * A component by its definition, read without most of its packages. If that fails, the packages are installed, and it
 * is built.
 */
async function imported(
  ctx: AppContext,
  { author, plan, url }: Importing,
  { files, hash }: Sent,
): Promise<Component> {
  const { owner } = author;
  const request = { client: owner, files };
  const bundle = await bundleOf(ctx, { ...request, isForDefinition: true });
  const code = files.files[files.entry] ?? "";
  const codeHash = await sha256Hex(code);
  const about = { url: url ?? undefined, at: ctx.now() };
  const put = [ctx.codeStore.putCode(codeHash, code), keepFiles(ctx, hash, files)];
  let definition: ComponentDefinition;
  let bundleHash = "";
  try {
    ({ definition } = await definitionOf(ctx, { owner, plan, bundle, files }));
  } catch (error) {
    if (!(error instanceof RequestError && error.code === "invalid_component")) throw error;
    const whole = await bundleOf(ctx, request);
    ({ definition } = await definitionOf(ctx, { owner, plan, bundle: whole, files }));
    put.push(ctx.codeStore.putBundle(whole));
    bundleHash = whole.hash;
  }
  await Promise.all(put);
  return newComponent(author, {
    definition,
    hashes: { codeHash, bundleHash, filesHash: hash },
    ...about,
  });
}
