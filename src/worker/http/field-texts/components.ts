import { PROPS_SO_FAR, STASH_ID } from "./common.ts";
import { ANYWHERE, type FieldTable } from "./table.ts";

const DEPRECATED = "The publisher's deprecation notice; null: it is not deprecated";

/** Fields of components, registries and imports. */
export const COMPONENT_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    component_code: "Source code of the component: one ES module, JavaScript or TypeScript",
    component_url: "URL of the component's source code. Beside code, it is only recorded",
    component_files:
      "Source files by relative path, for a component of several files: at most 1,000, in 5 MB",
    files: "Another name of component_files",
    entry: "The path of the component in component_files",
    language: "Language of component_code; that of files follows from their extensions. Absent: js",
    dynamic_props: "The last returned configurable_props, which additionalProps receives",
    omitted: "Files with too many differences to compare",
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
    code: "Original source code; of several files, that of the entry",
    code_hash: "SHA-256 of the code, in hex",
    name: "Name of the component in its definition",
    component_type: "Whether it is deployed as a source or run as an action",
    license: "Licence that its publisher or its files state; absent: none is stated",
    deprecated: "The publisher's deprecation notice; absent: it is not deprecated",
    sample_emit: "Example of an emitted event, declared by the component: any JSON",
    annotations: "Hints for its callers, declared by the component: JSON of its own",
    lockfile: "The npm packages in its bundle; only if include contains lockfile",
  },
  FoundComponent: {
    id: "Id of the component, `sc_…`",
    key: "Key for deployments; null: it has none",
    type: "Whether it is deployed as a source or run as an action",
    name: "Name of the component in its definition",
    description: "Description in its definition; null: it has none",
    code_hash: "SHA-256 of the code, in hex",
    license: "Licence that its publisher or its files state; null: none is stated",
    deprecated: DEPRECATED,
  },
  PublishedVersion: {
    component_id: "Id of the component, `sc_…`",
    owner_id: "The publisher: a user, a workspace, or the global registry",
    key: "Key of the published component",
    name: "Name of the component in its definition",
    type: "Whether it is deployed as a source or run as an action",
    license: "Licence that its publisher or its files state; null: none is stated",
    deprecated: DEPRECATED,
    unpublished_at: "Time when it was unpublished, epoch seconds; null: it is published",
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
      "Words or their beginnings. Stop words are ignored, plurals and typos are tolerated. A match has most of the words in name, app, key or description; matches with all words come first",
    app: "Slug of an app that matches use",
    type: "The type of matches",
  },
  publishComponent: {
    license: "Licence, such as an SPDX expression; absent: the one in component_files",
  },
  deprecateComponentVersion: {
    deprecated:
      "Deprecation notice for users, at most 1,000 characters; null: it is not deprecated",
  },
  importComponents: {
    archive_url:
      "URL of a tarball with components/<app>/{sources,actions}/…; absent: it is uploaded by PUT to the import's archive",
  },
  RegistryImport: {
    total: "Number of components found",
    counts: "Number of components in each state",
    "counts.waiting": "Components that are not imported yet",
    "counts.published": "Components with a newly published version",
    "counts.unchanged": "Components with an already published version",
    "counts.refused": "Components that the registry or the operator refuses",
    "counts.failed": "Components that do not bundle or evaluate",
    ...importTexts(),
  },
  RegistryImportSummary: importTexts(),
  ImportedComponent: {
    number: "Position of the component in its import, from 0",
    path: "Path of the component's file in the archive",
    state: "State of the component's import",
    key: "Key of the component; null: it is not known yet",
    version: "Version of the component; null: it is not known yet",
    license: "Licence of the component; null: none is stated, or it is not known yet",
    message: "Reason why it was not published; null: there is none",
  },
  listImportedComponents: {
    state: "Only components in this state",
    after: "Number of the component that the page begins after; -1: the first page",
  },
  listOptions: {
    ...PROPS_SO_FAR,
    prop_name: "The prop to list the options of",
    page: "Number of the page, from 0, which options() receives as page",
    prev_context:
      "The context of the previous page, JSON of the component's own, which options() receives as prevContext",
    query: "Text that the user has typed, for props with useQuery",
    options: "The choices",
    context: "JSON of the component's own for the next page; absent: it has none",
  },
  reloadProps: {
    ...PROPS_SO_FAR,
    configurable_props: "The props of the component with this configuration",
  },
  runAction: {
    component_id: "The action to run, `sc_…`; else its code, key or URL is used, in this order",
    id: "The same as in Connect: the id or the key of the action to run",
    key: "Key of the action to run",
    stash_id: STASH_ID,
  },
};

function importTexts() {
  return {
    id: "Id of the import, `ri_…`",
    owner_id:
      "The owner of the registry that it publishes to: a user, a workspace, or the global one",
    archive_url: "URL of the archive; null: it is uploaded",
    state: "State of the import: it waits for its archive, runs or has ended",
    error: "Reason why the whole import failed; null: it did not",
  };
}
