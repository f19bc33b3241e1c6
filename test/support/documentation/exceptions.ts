/** A block that does not run: the page, its first line, and the reason. */
export type Exception = { page: string; begins: string; why: string };

const ENDLESS = "does not end; the test itself starts a platform";
const ACCOUNT = "needs a Cloudflare account; test/release/deploy*.test.ts deploy to a fake of it";
const SERVER = "changes the machine; test/release/deploy-files.test.ts tries these files";
const SKILL = "test/agents/skill.test.ts follows this page step by step";
const APART = "test/release/component-package.test.ts runs it in a folder of its own";

export const EXCEPTIONS: Exception[] = [
  {
    page: "README.md",
    begins: "npm ci\nnpx wellspring dev",
    why: "does not end; test/release/cli-dev.test.ts runs it",
  },
  { page: "README.md", begins: "npm start", why: ENDLESS },
  { page: "README.md", begins: "npx wrangler login", why: ACCOUNT },
  { page: "docs/quick-start.md", begins: "npm ci\nnpm start", why: ENDLESS },
  { page: "docs/self-hosting.md", begins: "npm ci\nnpm start", why: ENDLESS },
  { page: "docs/self-hosting.md", begins: "HOST=0.0.0.0", why: ENDLESS },
  { page: "docs/self-hosting.md", begins: "docker exec", why: SERVER },
  { page: "docs/self-hosting.md", begins: "cd /opt/wellspring", why: SERVER },
  { page: "docs/self-hosting.md", begins: "docker build", why: SERVER },
  {
    page: "docs/moving-from-pipedream.md",
    begins: "npx wellspring dev",
    why: "does not end; test/release/cli-dev.test.ts runs it",
  },
  { page: "docs/cloudflare.md", begins: "npm ci && npx wrangler", why: ACCOUNT },
  {
    page: "docs/connect.md",
    begins: "import { PipedreamClient }",
    why: "the SDK is not installed here; npm run connect:conformance calls all of it",
  },
  {
    page: "docs/connect.md",
    begins: 'curl "$BASE/accounts/authorize"',
    why: "needs an OAuth client at a provider; test/browser signs in at a fake of one",
  },
  { page: "docs/operations.md", begins: "HOST=0.0.0.0", why: ENDLESS },
  { page: "docs/operations.md", begins: "PUBLIC_URL=https", why: ENDLESS },
  { page: "docs/operations.md", begins: "cd /opt/wellspring", why: SERVER },
  { page: "docs/operations.md", begins: "docker build", why: SERVER },
  {
    page: "docs/monitoring.md",
    begins: 'curl "https://api.cloudflare.com',
    why: "needs a Cloudflare account with metrics",
  },
  {
    page: "docs/maintenance.md",
    begins: "node tools/scripts/release-state.ts",
    why: "has a placeholder; test/scripts/state-release.test.ts runs it",
  },
  { page: "docs/maintenance.md", begins: "npm run rotate-key", why: ACCOUNT },
  {
    page: "docs/maintenance.md",
    begins: "STATE_DIR=/var/lib/wellspring npm run rotate-key",
    why: "is run while no platform serves the folder; test/release/rotate-key.test.ts does this",
  },
  { page: "docs/maintenance.md", begins: "npm run backup -- --env", why: ACCOUNT },
  { page: "docs/maintenance.md", begins: "MASTER_KEY=", why: ACCOUNT },
  {
    page: "docs/benchmarks.md",
    begins: "STATE_DIR=/tmp/imported",
    why: "imports a public collection for half an hour",
  },
  {
    page: "packages/cli/README.md",
    begins: "npx wellspring init source orders\nnpx wellspring dev",
    why: "does not end; test/release/cli-package.test.ts does this",
  },
  {
    page: "packages/cli/README.md",
    begins: "npm run pack",
    why: "builds for minutes; test/release/cli-package.test.ts runs it",
  },
  {
    page: "packages/cli/README.md",
    begins: "curl -H 'content-type",
    why: "belongs to the block before it; test/release/cli-package.test.ts does this",
  },
  { page: "packages/component/README.md", begins: "npx wellspring init source", why: APART },
  { page: "packages/component/README.md", begins: "// orders.ts", why: APART },
  { page: "packages/component/README.md", begins: "// orders.test.js", why: APART },
  { page: "packages/component/README.md", begins: "// remind.ts", why: APART },
  { page: "packages/component/README.md", begins: "// remind.test.js", why: APART },
  {
    page: "docs/agents.md",
    begins: 'curl -X POST "$BASE/agent_keys"',
    why: "needs a project and an external user; test/agents/keys.test.ts does this",
  },
  {
    page: "docs/agents.md",
    begins: 'curl -X PUT "https://wellspring.example.com/admin/projects/proj_…/agent_quotas"',
    why: "needs a project and an external user; test/agents/quotas.test.ts does this",
  },
  {
    page: "docs/agents.md",
    begins: "const repo = await apps.github",
    why: "calls services; test/agents/execute.test.ts runs programs like it",
  },
  { page: "docs/agents-skill.md", begins: "export default {", why: SKILL },
  { page: "docs/agents-skill.md", begins: "curl $URL/v1/sources", why: SKILL },
];
