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
      "EVENT_LINES=false": "show no line for each run",
    },
  },
  "tools/scripts/dev.ts": {
    usage: "npm run dev",
    does: "Run both Workers by wrangler dev, with the settings and the state of npm start: changes in src/ are built at once.",
  },
  "tools/scripts/build-assets.ts": {
    usage: "npm run build:docs\n       npm run build:console",
    does: "Build the documentation site that the platform serves at /docs, or its console, unless it is up to date.",
  },
  "tools/browser/screenshots.ts": {
    usage: "npm run screenshots",
    does: "Take a picture of each page of the console, light and dark, into .wrangler/screenshots, and those of the documentation into docs/.",
  },
  "tools/packages/cli.ts": {
    usage: "npm run build:cli",
    does: "Builds packages/cli/dist: the command line and the platform that it starts, as plain JavaScript.",
  },
  "tools/packages/component.ts": {
    usage: "npm run build:component",
    does: "Builds packages/component/dist: types for components, and what tests run components by, as plain JavaScript.",
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
    does: "Bring a backup into an empty platform.",
    options: {
      "--from FOLDER": "the backup",
      "--env NAME": "into a deployment, not into this machine's state",
      "--force": "replace state that is there already",
    },
  },
  "tools/scripts/rotate-key.ts": {
    usage: "npm run rotate-key -- --url ORIGIN [--env production|staging] [--finish]",
    does: "Bring all secrets of a deployment under a new master key.",
    options: {
      "--url ORIGIN": "where the deployment is reached",
      ...ENV,
      "--finish": "drop the former key, once nothing needs it",
    },
  },
  "tools/scripts/deploy.ts": {
    usage: "npm run deploy -- [options]",
    does: "Deploy to a Cloudflare account: create what is missing, migrate, upload, and send an event through two sources.",
    options: {
      ...ENV,
      "--check": "only say what the account lacks",
      "--dry-run": "only print the steps",
      "--skip-canary": "send no event at the end",
      "--new-master-key": "begin the rotation of the master key",
      "--without-metrics": "for an account without Analytics Engine",
      "--queues N": "queues for events; without it as many as there are",
      "--workflows N": "engines for workflow runs; without it as many as there are",
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
    does: "Measure a platform of its own on this machine.",
    options: {
      "--only NAME": "one subject, such as throughput, delivery, console or search",
      "--rounds N": "rounds of each measurement (7)",
      "--seconds N": "seconds of a round (3)",
      "--sources N": "sources of the crowd (1000)",
      "--connections LIST": "connections at once (1,16,64)",
      "--attack N": "seconds of each attack on containment (30)",
      "--saves N": "how often a component is saved (15)",
      "--users N": "external users (1000)",
      "--base FOLDER": "another checkout, to compare `versions` and `saves` with",
      "--counts FILE": "counts of an earlier run, for the simulation",
    },
  },
  "tools/bench/bundle.ts": {
    usage: "npm run bench:bundle",
    does: "Measure how long packages take to be bundled, and in how much memory.",
  },
  "tools/attack/run.ts": {
    usage: "npm run attack -- [--only NAME]",
    does: "Try to break a platform of its own.",
    options: { "--only NAME": "one subject: a file of tools/attack/" },
  },
  "tools/soak/run.ts": {
    usage: "npm run soak -- [options]",
    does: "Load a platform for long: memory, descriptors and disk must be flat in the last half.",
    options: {
      "--minutes N": "how long (20)",
      "--rate N": "events a second (20)",
      "--warmup N": "minutes at 40 events a second before (8)",
      "--packages N": "sources on so many packages instead (0)",
      "--sources N": "how many of those (1000)",
    },
  },
  "tools/fuzz/run.ts": {
    usage: "npm run fuzz -- [options]",
    does: "Send made-up requests to every operation, and hold the responses to the OpenAPI document.",
    options: {
      "--requests N": "requests to each operation (5000)",
      "--seed N": "the same seed makes the same requests",
      "--only NAME": "one operation",
    },
  },
  "tools/chaos/run.ts": {
    usage: "npm run chaos -- [--rounds N] [--connections N]",
    does: "Kill a platform while events arrive: none that was acknowledged may be lost.",
    options: { "--rounds N": "kills (20)", "--connections N": "connections at once (8)" },
  },
  "tools/chaos/sandboxes.ts": {
    usage: "npm run chaos:sandboxes -- [options]",
    does: "Kill the platform and its sandbox processes at random.",
    options: {
      "--kills N": "how many kills (20)",
      "--sandboxes N": "sandbox processes (2)",
      "--connections N": "connections at once (8)",
      "--events N": "at least so many events (0)",
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
  "tools/connect/conformance.ts": {
    usage: "npm run connect:conformance -- [--sdk FOLDER] [--only NAME]",
    does: "Call every method of Pipedream's SDK against a platform of its own.",
    options: { "--sdk FOLDER": "where the SDK is", "--only NAME": "methods whose names begin so" },
  },
  "tools/agents/conformance.ts": {
    usage: "npm run agents:conformance -- [--packages FOLDER] [--all]",
    does: "Run the conformance suite of MCP's authors against a platform of its own.",
    options: {
      "--packages FOLDER": "where the suite is installed; without it, it is installed anew",
      "--all": "all scenarios of the revision, also those that need the suite's own server",
    },
  },
};
