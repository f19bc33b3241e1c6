/** A page of the site: `name` is its path below /docs, `source` the file that it is made from, docs/{name}.md where absent. */
export type Page = { name: string; title: string; about: string; source?: string };

/** All pages, in the order in which they are listed. */
export const SECTIONS: { title: string; pages: Page[] }[] = [
  {
    title: "Start",
    pages: [
      {
        name: "index",
        title: "What and why",
        about: "What Wellspring is, who it is for, and how it compares with its alternatives.",
      },
      {
        name: "quick-start",
        title: "Quick start",
        about: "From a clone to a first delivered event in five minutes.",
      },
      {
        name: "concepts",
        title: "Concepts",
        about: "Sources, events, subscriptions, workflows: the route of an event in one picture.",
      },
      {
        name: "console",
        title: "Console",
        about: "The pages in the browser: signing in, and the contents and actions of each page.",
      },
    ],
  },
  {
    title: "Build",
    pages: [
      {
        name: "authoring",
        title: "Writing components",
        about: "Sources and actions: props, state, dedupe, timers, packages, tests.",
      },
      {
        name: "webhooks",
        title: "Webhooks",
        about: "Subscriptions, signatures, retries, replay.",
      },
      {
        name: "workflows",
        title: "Workflows",
        about: "Deploying, running, repeating and versioning workflows.",
      },
      {
        name: "connect",
        title: "Connect",
        about: "For products whose own users connect accounts, run actions and have triggers.",
      },
      {
        name: "apps",
        title: "Apps",
        about: "The catalogue of apps: slugs, kinds, the providers' documentation and reviews.",
      },
      {
        name: "agents",
        title: "Agents",
        about: "MCP: tools, programs, keys and OAuth for agents that act for users.",
      },
      {
        name: "agents-skill",
        title: "Skill for coding agents",
        about: "How a coding agent writes, tests and deploys a source, on one page.",
      },
      {
        name: "registry",
        title: "Registries and licences",
        about: "Publishing components, their versions and licences; importing collections.",
      },
      {
        name: "cli",
        title: "Command line",
        about: "The commands of wellspring.",
        source: "packages/cli/README.md",
      },
      {
        name: "component",
        title: "Types and tests",
        about: "The package by which components are written with types, and tested in the runtime.",
        source: "packages/component/README.md",
      },
      {
        name: "client",
        title: "Client",
        about: "The typed client of the API.",
        source: "packages/client/README.md",
      },
      { name: "packages", title: "npm packages", about: "How packages are resolved and loaded." },
    ],
  },
  {
    title: "Move",
    pages: [
      {
        name: "moving-from-pipedream",
        title: "Moving from Pipedream",
        about: "The changes, the common parts, and the differences.",
      },
      {
        name: "compatibility",
        title: "Compatibility",
        about: "The substitutes of Node's modules for components, and unsupported code.",
      },
      {
        name: "measuring-compatibility",
        title: "Measuring compatibility",
        about: "How public components are tested, with the results.",
      },
    ],
  },
  {
    title: "Run",
    pages: [
      {
        name: "self-hosting",
        title: "Self-hosting",
        about: "On your own machine: as a service, in a container, behind a proxy.",
      },
      {
        name: "cloudflare",
        title: "Cloudflare",
        about: "On your own Cloudflare account: deploying, upgrading, watching.",
      },
      {
        name: "operations",
        title: "Operations",
        about: "Settings, servers, sandbox processes; where to read about each task.",
      },
      {
        name: "monitoring",
        title: "Monitoring",
        about: "Health, log lines, metrics, alerts.",
      },
      {
        name: "maintenance",
        title: "Backups, upgrades and keys",
        about: "Backing up, restoring, upgrading, rotating the master key.",
      },
      {
        name: "users",
        title: "Users and sign-in",
        about: "Finding and deleting users; sessions, Cloudflare Access.",
      },
      {
        name: "retention",
        title: "Sweep and retention",
        about: "What the platform repairs and deletes by itself, and what grows.",
      },
      {
        name: "production-limits",
        title: "Limits of Cloudflare",
        about: "The limits of the production platform, and the measures to stay below them.",
      },
      {
        name: "limits",
        title: "Limits and prices",
        about: "The limits of the platform, and their costs.",
      },
      { name: "costs", title: "Costs in detail", about: "What a million events cost, counted." },
      { name: "benchmarks", title: "Benchmarks", about: "Throughput, latency, durability." },
      {
        name: "security",
        title: "Security",
        about: "Reporting a vulnerability; known limits.",
        source: "SECURITY.md",
      },
    ],
  },
  {
    title: "Reference",
    pages: [
      {
        name: "contract",
        title: "Contract",
        about: "The rules of the API and of components, where others' documentation is silent.",
      },
      {
        name: "architecture",
        title: "Architecture and glossary",
        about: "Terms, the route of an event through the code, invariants, decisions.",
      },
      {
        name: "contributing",
        title: "Contributing",
        about: "Principles, layers, checks and tests of the repository.",
        source: "CONTRIBUTING.md",
      },
      {
        name: "changelog",
        title: "Changelog",
        about: "What changed.",
        source: "CHANGELOG.md",
      },
    ],
  },
];

/** The pages alone. */
export const PAGES: Page[] = SECTIONS.flatMap(({ pages }) => pages);

/** The file that a page is made from. */
export function sourceOf({ name, source = `docs/${name}.md` }: Page): string {
  return source;
}
