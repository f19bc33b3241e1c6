/** Folders of `src/` that do not depend on each other. */
export type Layer = {
  /** Folders of `src/`; empty: its own files. */
  folders: string[];
  /** Layers below them that they must not import, and libraries. */
  never?: string[];
  /** Folders below them of which they may import types only. */
  typesOf?: string[];
  /** Files with a reason to break this layer's rule. */
  except?: string[];
  /** The reason, which the linter shows. */
  because: string;
};

const HTTP = ["hono", "hono/**", "@hono/**"];
const SQL = ["drizzle-orm", "drizzle-orm/**"];
const RUNTIME = ["cloudflare:*"];
const OBJECTS = "durable-objects";

/** Each layer may import those after it. */
export const LAYERS: Layer[] = [
  {
    folders: [""],
    never: [...HTTP, ...SQL],
    because: "Entry modules of Workers only wire the other layers.",
  },
  {
    folders: ["worker/http"],
    never: ["db", OBJECTS, "sandbox", "bundler", "vault", ...SQL, ...RUNTIME],
    except: ["src/worker/http/authenticate.ts"],
    because: "Routes call services, never tables or objects.",
  },
  {
    folders: ["worker/queue", "worker/rpc"],
    never: [...HTTP, ...SQL],
    typesOf: [OBJECTS],
    because: "Queue and RPC serve objects: they use neither HTTP nor SQL.",
  },
  {
    folders: ["worker"],
    never: [OBJECTS, ...HTTP, ...SQL],
    because: "The Worker's own files wire bindings, and use neither routes nor SQL.",
  },
  {
    folders: ["services"],
    never: [...HTTP, ...SQL, ...RUNTIME],
    typesOf: [OBJECTS, "bundler"],
    because: "Services use neither HTTP nor SQL, and call objects by their contracts.",
  },
  ...objects("source", "workflow"),
  ...objects(
    "account",
    "apphook",
    "data-store",
    "dispatch-namespace",
    "owner",
    "rate-limit",
    "webhook",
  ),
  ...objects("emitter"),
  ...objects("shared"),
  {
    folders: ["bundler"],
    never: ["db", "vault", ...HTTP, ...SQL],
    because: "The bundler runs in a separate Worker without a database.",
  },
  {
    folders: ["sandbox"],
    never: ["db", "vault", ...HTTP, ...SQL],
    because: "User code receives all its dependencies.",
  },
  {
    folders: ["http"],
    never: ["db", "vault", ...HTTP, ...SQL, ...RUNTIME],
    because: "Requests and responses are plain data, which Worker and objects exchange.",
  },
  {
    folders: ["db"],
    never: ["vault", "telemetry", ...HTTP, ...RUNTIME],
    because: "Queries depend on tables and rules alone.",
  },
  {
    folders: ["telemetry", "vault"],
    never: [...HTTP, ...SQL],
    because: "They serve every layer, and depend on the rules alone.",
  },
  {
    folders: ["domain"],
    never: [...HTTP, ...SQL, ...RUNTIME],
    because: "Rules are functions of data.",
  },
  { folders: ["zod"], because: "A smaller build of the library, which every layer may import." },
];

/** Every folder, from the top to the bottom. */
export const FOLDERS = LAYERS.flatMap(({ folders }) => folders).filter((folder) => folder !== "");

function objects(...names: string[]): Layer[] {
  return [
    {
      folders: names.map((name) => `${OBJECTS}/${name}`),
      never: ["bundler", "db", ...HTTP, ...SQL],
      because: "An object owns its storage, and reaches D1 through worker/rpc alone.",
    },
  ];
}
