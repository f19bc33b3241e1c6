import { ANYWHERE, type FieldTable } from "./table.ts";

/** Fields of all three documents. */
export const COMMON_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    data: "The resource, or the list of resources",
    page_info: "The place of the page in its list",
    limit: "How many items a page has at most, 1 to 100",
    after: "A cursor: the page begins behind it. Not together with before",
    before: "A cursor: the page ends in front of it. Not together with after",
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
    total_count: "How many items the whole list has",
    count: "How many items the page has",
    start_cursor: "Cursor of the first item, for before; null: the page is empty",
    end_cursor: "Cursor of the last item, for after; null: the page is empty",
  },
  Error: {
    error: "One sentence: the field and the rule",
    code: "Stable name of the kind of failure",
    details:
      "More on the failure: issues where fields or code are wrong, and further JSON by its code",
    "details.issues":
      "Every field that breaks a rule; of invalid_component, every place of the code that is wrong",
    "details.issues.path": "The field, with dots between the names of nested ones",
    "details.issues.message": "The rule that it breaks",
    "details.issues.file": "The file of the code",
    "details.issues.line": "Line in the file, from 1",
    "details.issues.column": "Column in the line, from 0",
    "details.issues.text": "The violated rule",
  },
  ConfigurableProp: {
    name: "Name of the prop, by which configured_props sets it",
    type: "Type of the prop, such as string, integer[], app or $.interface.timer",
  },
  Observation: {
    k: "The kind: console.log, console.error, … or error",
    ts: "When it was observed, epoch milliseconds",
    msg: "The line that was logged",
    err: "The error that was thrown",
    "err.name": "Name of the error's class",
    "err.message": "Message of the error",
    "err.stack": "Stack trace of the error; empty where there is none",
  },
  ActionResult: {
    exports:
      "Exports of the action by name, any JSON; $filestash_uploads: the files of its stash, each with localPath, s3Key and get_url",
    os: "Log lines of the action, and its error if it failed, in the order of time",
    ret: "Return value of run: any JSON",
    stash_id: "The stash that was used; absent: none",
  },
};

/** The values of a form that is filled in by and by. */
export const PROPS_SO_FAR = {
  configured_props:
    "Values of the component's props that are filled in so far, by name: JSON of the component's own",
};

/** Parameters of operations on components, in all three documents. */
export const STASH_ID =
  "The stash whose files /tmp begins with: its id, or NEW for a new one; absent: none. Files are kept for 24 hours after the last run";
