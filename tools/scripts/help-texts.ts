type Text = { usage: string; does: string; options?: Record<string, string> };

const ENV = { "--env NAME": "production or staging" };

/** The help of each script, by its file. A test compares the options with those that the scripts read. */
export const TEXTS: Partial<Record<string, Text>> = {
  "tools/scripts/start.ts": {
    usage: "npm start",
    does: "Serve the platform on http://127.0.0.1:8787 until Ctrl-C. Settings come from the environment, then from .dev.vars (docs/operations.md).",
    options: {
      "PORT=N": "the port to listen on; 0 chooses a free one",
      "STATE_DIR=FOLDER": "where its state is kept (.wrangler/state)",
      "HOST=ADDRESS": "listen for other machines, too",
      "LOG_LEVEL=LEVEL": "debug, info, warn, error or silent",
      "LOG_FORMAT=json": "write the log as JSON lines",
      "EVENT_LINES=false": "print no line for each run",
    },
  },
  "tools/scripts/dev.ts": {
    usage: "npm run dev",
    does: "Run both Workers with wrangler dev, on the settings and the state of npm start; rebuilds on changes in src/.",
  },
  "tools/scripts/build-assets.ts": {
    usage: "npm run build:docs\n       npm run build:console\n       npm run build:catalogue",
    does: "Build the documentation site that the platform serves at /docs, its console, or its catalogue of apps, unless it is up to date.",
  },
  "tools/browser/screenshots.ts": {
    usage: "npm run screenshots",
    does: "Take a picture of each page of the console, light and dark, into .wrangler/screenshots, and those of the documentation into docs/.",
  },
  "tools/packages/cli.ts": {
    usage: "npm run build:cli",
    does: "Build packages/cli/dist: the command line and the platform that it starts, as plain JavaScript.",
  },
  "tools/packages/component.ts": {
    usage: "npm run build:component",
    does: "Build packages/component/dist: types and the test runtime for components, as plain JavaScript.",
  },
  "tools/packages/pack.ts": {
    usage: "npm run pack",
    does: "Pack the command line, the client and the package for components into dist/, and print how to install them.",
  },
  "tools/scripts/demo.ts": {
    usage: "npm run demo",
    does: "Deploy an HTTP source and a timer source on a temporary state folder, and print their events.",
  },
  "tools/scripts/backup.ts": {
    usage: "npm run backup -- [--to FOLDER] [--env production|staging]",
    does: "Copy a platform's state to a folder.",
    options: {
      "--to FOLDER": "where it goes",
      "--env NAME": "of a deployment, not of this machine",
    },
  },
  "tools/scripts/restore.ts": {
    usage: "npm run restore -- --from FOLDER [--env production|staging] [--force]",
    does: "Restore a backup into an empty platform.",
    options: {
      "--from FOLDER": "the backup",
      "--env NAME": "into a deployment, not into this machine's state",
      "--force": "overwrite existing state",
    },
  },
  "tools/scripts/rotate-key.ts": {
    usage: "npm run rotate-key [-- --url ORIGIN [--env production|staging] [--finish]]",
    does: "Rotate the master key of a deployment or, without --url, that of the state folder at STATE_DIR.",
    options: {
      "--url ORIGIN": "the origin of the deployment",
      ...ENV,
      "--finish": "drop the old key once nothing needs it",
    },
  },
  "tools/scripts/deploy.ts": {
    usage: "npm run deploy -- [options]",
    does: "Deploy to a Cloudflare account: create missing resources, migrate, upload, and test with an event.",
    options: {
      ...ENV,
      "--check": "only report the account's problems",
      "--dry-run": "only print the steps",
      "--skip-canary": "send no event at the end",
      "--new-master-key": "create a master key although a database exists",
      "--without-metrics": "for an account without Analytics Engine",
      "--queues N": "queues for events (as many as exist)",
      "--workflows N": "engines for workflow runs (as many as exist)",
    },
  },
  "tools/scripts/registry-import.ts": {
    usage: "npm run registry:import -- FOLDER [--workspace ID] [--json]",
    does: "Publish the components of a folder to a registry.",
    options: {
      "--workspace ID": "to the registry of a workspace",
      "--json": "print results as JSON",
    },
  },
  "tools/scripts/workflows.ts": {
    usage: "npm run workflows:deploy -- [--folder FOLDER] [--owner ID]",
    does: "Deploy every workflow of a folder.",
    options: {
      "--folder FOLDER": "where they are (workflows)",
      "--owner ID": "a user or a workspace",
    },
  },
  "tools/bench/run.ts": {
    usage: "npm run bench -- [options]",
    does: "Measure a new platform on this machine.",
    options: {
      "--only NAME": "one subject, such as throughput, delivery, console or search",
      "--rounds N": "rounds of each measurement (7)",
      "--seconds N": "seconds of a round (3)",
      "--sources N": "sources of the crowd (1000)",
      "--connections LIST": "connections at once (1,16,64)",
      "--attack N": "seconds of each attack on containment (30)",
      "--attacks TEXT": "only the attacks on containment with this in their names",
      "--sandboxes LIST": "numbers of sandbox processes of containment (2,1)",
      "--saves N": "saves of a component (15)",
      "--users N": "external users (1000)",
      "--base FOLDER": "another checkout, to compare `versions` and `saves` with",
      "--quick": "fewer events for the costs, in about half of the time",
      "--before FILE": "counts of another commit, to compare the costs with",
      "--counts FILE": "counts of an earlier run, for the simulation",
    },
  },
  "tools/bench/bundle.ts": {
    usage: "npm run bench:bundle",
    does: "Measure the time and memory of bundling packages.",
  },
  "tools/attack/run.ts": {
    usage: "npm run attack -- [--only NAME]",
    does: "Run attacks against a new platform.",
    options: { "--only NAME": "one subject: a file of tools/attack/" },
  },
  "tools/soak/run.ts": {
    usage: "npm run soak -- [options]",
    does: "Load a platform for long: memory, descriptors and disk must be flat in the last half.",
    options: {
      "--minutes N": "duration (20)",
      "--rate N": "events a second (20)",
      "--warmup N": "minutes at 40 events a second before (8)",
      "--packages N": "sources on this many packages instead (0)",
      "--sources N": "number of these sources (1000)",
    },
  },
  "tools/fuzz/run.ts": {
    usage: "npm run fuzz -- [options]",
    does: "Send random requests to every operation, and validate the responses against the OpenAPI document.",
    options: {
      "--requests N": "requests to each operation (5000)",
      "--seed N": "the same seed generates the same requests",
      "--only NAME": "one operation",
    },
  },
  "tools/chaos/run.ts": {
    usage: "npm run chaos -- [--rounds N] [--connections N]",
    does: "Kill a platform while events arrive: no acknowledged event may be lost.",
    options: { "--rounds N": "kills (20)", "--connections N": "connections at once (8)" },
  },
  "tools/chaos/sandboxes.ts": {
    usage: "npm run chaos:sandboxes -- [options]",
    does: "Kill the platform and its sandbox processes at random.",
    options: {
      "--kills N": "kills (20)",
      "--sandboxes N": "sandbox processes (2)",
      "--connections N": "connections at once (8)",
      "--events N": "minimum number of events (0)",
    },
  },
  "tools/chaos/workflows.ts": {
    usage: "npm run chaos:workflows -- [--rounds N] [--runs N]",
    does: "Kill a platform while workflows run.",
    options: { "--rounds N": "kills (10)", "--runs N": "runs in all (2000)" },
  },
  "tools/chaos/delivery.ts": {
    usage: "npm run chaos:delivery -- [options]",
    does: "Kill a platform while events are delivered.",
    options: {
      "--rounds N": "kills (50)",
      "--events N": "events in all (20000)",
      "--connections N": "connections at once (8)",
    },
  },
  "tools/chaos/agents.ts": {
    usage: "npm run chaos:agents -- [options]",
    does: "Kill a platform while an MCP client receives the events of components: each arrives exactly once by its id.",
    options: {
      "--components N": "components, each with a subscription (50)",
      "--events N": "events of each component (1000)",
      "--rate N": "new events per second of all components (150)",
      "--kills N": "kills (20)",
    },
  },
  "tools/connect/conformance.ts": {
    usage: "npm run connect:conformance -- [--sdk FOLDER] [--only NAME] [--python COMMAND]",
    does: "Call every method of Pipedream's SDKs against a new platform.",
    options: {
      "--sdk FOLDER": "the folder of the JavaScript SDK; without it, it is installed",
      "--only NAME": "methods with names that begin so",
      "--python COMMAND":
        "a Python that has the SDK; without the SDK, its requests are sent (python3)",
    },
  },
  "tools/agents/conformance.ts": {
    usage: "npm run agents:conformance -- [--packages FOLDER]",
    does: "Run the conformance suite of MCP's authors against a new platform.",
    options: {
      "--packages FOLDER": "the folder of the installed suite; without it, a new one is installed",
    },
  },
};
