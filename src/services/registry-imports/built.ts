import type { SourceFiles } from "#bundler/contract.ts";
import { type Component, noteBuilt } from "#db/components.ts";
import { sha256Hex } from "#domain/hash.ts";
import { isLicenseFile } from "#domain/licenses.ts";

import type { AppContext } from "../context.ts";
import { evaluate } from "../evaluation.ts";

/** The name of files in the code store: equal files have equal names. */
export async function filesHashOf({ entry, files }: SourceFiles): Promise<string> {
  const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([entry, sorted]));
}

/** Store the files of a component, which is built on its first use. */
export async function keepFiles(
  { codeStore }: Pick<AppContext, "codeStore">,
  hash: string,
  files: SourceFiles,
): Promise<void> {
  await codeStore.putCode(hash, JSON.stringify(files));
}

/** The stored files of a component, by their paths. */
export async function filesOf(
  ctx: Pick<AppContext, "codeStore">,
  component: Pick<Component, "filesHash" | "id">,
): Promise<Record<string, string>> {
  return (await storedFiles(ctx, component)).files;
}

/** Whether a component has the same code as these files, whatever the paths: they depend on where it was sent from. */
export async function isSameCode(
  ctx: Pick<AppContext, "codeStore">,
  component: Pick<Component, "codeHash" | "filesHash" | "id">,
  { entry, files }: SourceFiles,
): Promise<boolean> {
  const code = files[entry] ?? "";
  if (component.codeHash !== (await sha256Hex(code))) return false;
  const stored = component.filesHash === null ? { [entry]: code } : await filesOf(ctx, component);
  return JSON.stringify(codeTextsOf(stored)) === JSON.stringify(codeTextsOf(files));
}

/** Manifests and licences belong to a folder above, which only some requests contain. */
function codeTextsOf(files: Record<string, string>): string[] {
  return Object.entries(files)
    .flatMap(([path, text]) =>
      isLicenseFile(path) || /(?:^|\/)package\.json$/.test(path) ? [] : [text],
    )
    .toSorted();
}

/** The stored files of a component, and the name of its own. */
export async function storedFiles(
  { codeStore }: Pick<AppContext, "codeStore">,
  { filesHash, id }: Pick<Component, "filesHash" | "id">,
): Promise<SourceFiles> {
  const text = filesHash === null ? undefined : await codeStore.code(filesHash);
  if (text === undefined) throw new Error(`The files of ${id} are not in the code store`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `keepFiles` alone.
  return JSON.parse(text) as SourceFiles;
}

/**
 * A component with a bundle that can run. An imported component is built on its first use, with its packages, and its
 * definition is read again. Refuses code that does not bundle or evaluate.
 */
export async function builtComponent<C extends Component | undefined>(
  ctx: AppContext,
  component: C,
): Promise<C> {
  if (component === undefined || component.bundleHash !== "") return component;
  const files = await storedFiles(ctx, component);
  const { bundle, definition } = await evaluate(ctx, component.ownerId, files);
  await ctx.codeStore.putBundle(bundle);
  const built = { ...component, bundleHash: bundle.hash, definition, name: definition.name };
  await noteBuilt(ctx.db, built);
  return built;
}
