import type { Answer, Made, PythonCall } from "../call.ts";
import { COMPONENT, OPTIONS, pageShape, RELOADED, RUN } from "../shapes.ts";

/** Components and their runs. */
export const COMPONENT_CALLS: readonly PythonCall[] = [
  ...componentCalls("components", "shop-order"),
  ...componentCalls("triggers", "shop-new-order"),
  // The last, because its dynamic props are those of the run.
  ...componentCalls("actions", "shop-order"),
  {
    call: "actions.run",
    request: "POST /v1/connect/{project}/actions/run",
    args: ({ user, dynamic, shop, ...made }) => ({
      id: "shop-order",
      external_user_id: user,
      configured_props: { ...propsOf(made), url: `${shop}/orders`, count: 3 },
      dynamic_props_id: dynamic,
      stash_id: "NEW",
    }),
    answer: RUN,
    made: { file: "exports" },
    check: ({ ret, exports }) => ret.key === "k-1" && ret.body === "3" && exports.shelf === "top",
  },
  {
    call: "file_stash.download_file",
    request: "GET /v1/connect/{project}/file_stash/download",
    query: ["s_3_key"],
    args: ({ file = "" }) => ({ s_3_key: /"s3_?[kK]ey":"([^"]+)"/.exec(file)?.[1] ?? "" }),
    answer: "text",
    check: (answer) => answer === "one top",
  },
  ...["get", "post", "put", "patch", "delete"].map((verb) => proxyCall(verb)),
];

/** The props of all of them. */
function propsOf({ account }: Made): Record<string, unknown> {
  return { shop: { authProvisionId: account }, shelf: "top" };
}

/** Lists, reads and configures one kind of components. */
function componentCalls(kind: "components" | "actions" | "triggers", key: string): PythonCall[] {
  const base = `/v1/connect/{project}/${kind}`;
  const hasCount = kind !== "triggers";
  return [
    {
      call: `${kind}.list`,
      request: `GET ${base}`,
      query: ["limit", "app"],
      args: () => ({ limit: 1, app: "shop" }),
      answer: pageShape(COMPONENT),
      check: ({ data }) => data.some((item: Answer) => item.key === key),
    },
    {
      call: `${kind}.retrieve`,
      request: `GET ${base}/{component_id}`,
      args: () => ({ component_id: key }),
      answer: { data: COMPONENT },
      unwraps: true,
    },
    {
      call: `${kind}.configure_prop`,
      request: `POST ${base}/configure`,
      args: ({ user, account }) => ({
        id: key,
        external_user_id: user,
        prop_name: "shelf",
        configured_props: { shop: { authProvisionId: account } },
      }),
      answer: OPTIONS,
      check: ({ options }) => options[0].value === "top" && options[1].label === "Bottom",
    },
    {
      call: `${kind}.reload_props`,
      request: `POST ${base}/props`,
      args: ({ user, ...made }) => ({
        id: key,
        external_user_id: user,
        configured_props: { ...propsOf(made), ...(hasCount && { url: "https://example.com" }) },
      }),
      answer: RELOADED,
      made: { dynamic: "dynamic_props.id" },
      // The model reads either name into one field: the second would overwrite the first.
      check: ({ dynamic_props: { configurable_props: props }, ...answer }) =>
        !("dynamicProps" in answer) &&
        props.some((prop: Answer) => prop.name === "count") === hasCount,
    },
  ];
}

/** One of the proxy's verbs. The URL of its target is in its path. */
function proxyCall(verb: string): PythonCall {
  const body = ["post", "put", "patch"].includes(verb) ? { body: { size: 1 } } : {};
  return {
    call: `proxy.${verb}`,
    request: `${verb.toUpperCase()} /v1/connect/{project}/proxy/{url}`,
    query: ["external_user_id", "account_id"],
    args: ({ shop, account, user }) => ({
      url: `${shop}/proxied/${verb}`,
      external_user_id: user,
      account_id: account,
      ...body,
    }),
    check: (answer) => answer.key === "k-1" && answer.method === verb.toUpperCase(),
  };
}
