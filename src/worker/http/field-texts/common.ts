import { ANYWHERE, type FieldTable } from "./table.ts";

/** Fields of all three documents. */
export const COMMON_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    data: "The resource, or the list of resources",
    page_info: "The position of the page in its list",
    limit: "Maximum items of a page, 1 to 100",
    after: "A cursor: the page begins after it. Not together with before",
    before: "A cursor: the page ends before it. Not together with after",
    org_id: "The same as workspace_id",
    workspace_id:
      "The workspace that the operation is for. The caller must be a member; without it, the operation is for the caller",
    configured_props:
      "Values of the component's props by name: JSON of the component's own, checked by the type of each prop, at most 64 KB a value",
    "options.label": "Label in a form",
    "options.value": "Value of the prop: any JSON",
    version: "Semantic version of the component",
  },
  PageInfo: {
    total_count: "Number of items of the whole list",
    count: "Number of items of the page",
    start_cursor: "Cursor of the first item, for before; null: the page is empty",
    end_cursor: "Cursor of the last item, for after; null: the page is empty",
  },
  Error: {
    error: "One sentence: the field and the rule",
    code: "Stable name of the kind of error",
    details:
      "Details of the error: issues of invalid fields or code, and further JSON depending on the code",
    "details.issues": "Every invalid field; for invalid_component, every error in the code",
    "details.issues.path": "The field, with dots between the names of nested ones",
    "details.issues.message": "The violated rule",
    "details.issues.file": "The file of the code",
    "details.issues.line": "Line in the file, from 1",
    "details.issues.column": "Column in the line, from 1",
    "details.issues.text": "The violated rule",
  },
  ConfigurableProp: {
    name: "Name of the prop, by which configured_props sets it",
    type: "Type of the prop, such as string, integer[], app or $.interface.timer",
  },
  Observation: {
    k: "The kind: console.log, console.error, … or error",
    ts: "Time of the observation, epoch milliseconds",
    msg: "The log line",
    err: "The thrown error",
    "err.name": "Name of the error's class",
    "err.message": "Message of the error",
    "err.stack": "Stack trace of the error; empty if there is none",
  },
  ActionResult: {
    exports:
      "Exports of the action by name, any JSON; $filestash_uploads: the files of its stash, each with localPath, s3Key and get_url",
    os: "Log lines of the action, and its error if it failed, in the order of time",
    ret: "Return value of run: any JSON",
    stash_id: "The used stash; absent: none",
  },
};

/** The values of a form that is filled in step by step. */
export const PROPS_SO_FAR = {
  configured_props: "Current values of the component's props, by name: JSON of the component's own",
};

/** Parameters of operations on components, in all three documents. */
export const STASH_ID =
  "The stash with the initial files of /tmp: its id, or NEW for a new one; absent: none. Files are kept for 24 hours after the last run";
