import { PROPS_SO_FAR, STASH_ID } from "./common.ts";
import { ANYWHERE, type FieldTable } from "./table.ts";

const DEPRECATED = "The publisher's deprecation notice; null: it is not deprecated";

/** Fields of components, registries and imports. */
export const COMPONENT_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    component_code: "Source code of the component: one ES module, JavaScript or TypeScript",
    component_url: "URL of the component's source code. Beside code, it is only noted",
    component_files:
      "Source files by relative path, where the component is spread over several: at most 1,000, in 5 MB",
    files: "Another name of component_files",
    entry: "Which of component_files holds the component",
    language: "Language of component_code; that of files follows from their extensions. Absent: js",
    dynamic_props: "The configurable_props that were returned last; additionalProps gets them",
    omitted: "Files that differ too much to be compared",
    "lockfile.lockfileVersion": "Version of the lockfile's format",
    "lockfile.requests": "The folder of each package, by name or name@range as the code imports it",
    "lockfile.packages": "The installed packages by folder",
    "lockfile.packages.name": "Name of the npm package",
    "lockfile.packages.version": "Installed version of the package",
    "lockfile.packages.integrity": "Hash of the package's tarball",
    configurable_props: "The props of the component, in the order of its definition",
  },
  "/components": { key: "Key of the component, or its id (`sc_…`) outside the registry" },
  "/registry": { key: "Key of the published component" },
  "/imports": { id: "Id of the import, `ri_…`" },
  Component: {
    id: "Id of the component, `sc_…`",
    code: "Source code as it was sent; of several files, that of the entry",
    code_hash: "SHA-256 of the code, in hex",
    name: "Name of the component, as its definition has it",
    component_type: "Whether it is deployed as a source or run as an action",
    license: "Licence as its publisher or its files state it; absent: neither does",
    deprecated: "The publisher's deprecation notice; absent: it is not deprecated",
    sample_emit: "Example of an emitted event, as the component declares it: any JSON",
    annotations: "Hints for its callers: JSON of the component's own, as it declares them",
    lockfile: "The npm packages in its bundle; only where include names lockfile",
  },
  FoundComponent: {
    id: "Id of the component, `sc_…`",
    key: "Key by which it is deployed; null: it has none",
    type: "Whether it is deployed as a source or run as an action",
    name: "Name of the component, as its definition has it",
    description: "Description in its definition; null: it has none",
    code_hash: "SHA-256 of the code, in hex",
    license: "Licence as its publisher or its files state it; null: neither does",
    deprecated: DEPRECATED,
  },
  PublishedVersion: {
    component_id: "Id of the component, `sc_…`",
    owner_id: "Who published it: a user, a workspace, or the global registry",
    key: "Key under which it is published",
    name: "Name of the component, as its definition has it",
    type: "Whether it is deployed as a source or run as an action",
    license: "Licence as its publisher or its files state it; null: neither does",
    deprecated: DEPRECATED,
    unpublished_at: "When it was unpublished, epoch seconds; null: it is published",
  },
  ComponentDiff: {
    key: "Key of the compared component",
    from: "The earlier version",
    to: "The later version",
    code: "Unified diff of the source files",
    props: "The props that differ",
    "props.name": "Name of the prop",
    "props.change": "Kind of change of the prop",
    "props.from": "The prop's definition in the earlier version, as JSON; null: it had none",
    "props.to": "The prop's definition in the later version, as JSON; null: it has none",
    fields: "Other fields of the definition that differ",
    "fields.field": "Name of the field of the definition",
    "fields.from": "Its value in the earlier version, as JSON; null: it had none",
    "fields.to": "Its value in the later version, as JSON; null: it has none",
  },
  diffComponentVersions: { from: "The earlier version", to: "The later version" },
  searchComponents: {
    query:
      "Words, or how they begin. Stop words do not count, plurals and typos are forgiven. A match has most of the words in name, app, key or description; those that have all come first",
    app: "Slug of an app that a match uses",
    type: "The type that a match has",
  },
  publishComponent: {
    license: "Licence, such as an SPDX expression; absent: as component_files state",
  },
  deprecateComponentVersion: {
    deprecated:
      "Deprecation notice for users, at most 1,000 characters; null: it is not deprecated",
  },
  importComponents: {
    archive_url:
      "URL of a tarball that has components/<app>/{sources,actions}/…; absent: it is sent by PUT to the import's archive",
  },
  RegistryImport: {
    total: "How many components it has found so far",
    counts: "How many of them are in each state",
    "counts.waiting": "Components that are not imported yet",
    "counts.published": "Components of which a new version was published",
    "counts.unchanged": "Components whose version is published already",
    "counts.refused": "Components that the registry or the operator refuses",
    "counts.failed": "Components that do not bundle or evaluate",
    ...importTexts(),
  },
  RegistryImportSummary: importTexts(),
  ImportedComponent: {
    number: "Place of the component in its import, from 0",
    path: "Path of the component's file in the archive",
    state: "State of the component's import",
    key: "Key of the component; null: it is not known yet",
    version: "Version of the component; null: it is not known yet",
    license: "Licence of the component; null: none is stated, or it is not known yet",
    message: "Why it was not published; null: nothing is wrong",
  },
  listImportedComponents: {
    state: "Only components in this state",
    after: "Number of the component that the page begins behind; -1: the first",
  },
  listOptions: {
    ...PROPS_SO_FAR,
    prop_name: "The prop whose options are listed",
    page: "Number of the page, from 0, which options() gets as page",
    prev_context:
      "The context that was returned with the page before, JSON of the component's own; options() gets it as prevContext",
    query: "Text that the user typed so far, for props with useQuery",
    options: "The choices",
    context: "JSON of the component's own for the next page; absent: it has none",
  },
  reloadProps: {
    ...PROPS_SO_FAR,
    configurable_props: "The props that the component has with this configuration",
  },
  runAction: {
    component_id: "The action to run, `sc_…`; else its code, key or URL is used, in this order",
    key: "Key of the action to run",
    stash_id: STASH_ID,
  },
};

function importTexts() {
  return {
    id: "Id of the import, `ri_…`",
    owner_id: "Whose registry it publishes to: a user's, a workspace's, or the global one",
    archive_url: "Where the archive is fetched from; null: it is uploaded",
    state: "Whether it waits for its archive, is under way or is over",
    error: "Why the whole import failed; null: it did not",
  };
}
