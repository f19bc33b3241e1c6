import { isLoopback, networkUrls } from "./listening.ts";
import { secretsFile, type Settings } from "./settings.ts";

/** The output of a start for the operator: the URL of the platform, its key, and the network access of its components. */
export function announcement(settings: Settings, signInLink: string | undefined): string {
  const { apiKey, stateDir } = settings;
  const origin = settings.variables["PUBLIC_URL"];
  const { RELEASE: release, COMMIT: commit } = settings.variables;
  const rows = [
    ["release", `${release}${commit ? ` (commit ${commit})` : ""}`],
    ["base URL", `${origin}/v1`],
    ...listening(settings),
    ["docs", `${origin}/docs`],
    ...(signInLink === undefined ? [] : [["console", `${signInLink} (signs in once)`]]),
    ["health", `${origin}/health`],
    ["API key", apiKey],
    ["admin", `token in ${secretsFile(stateDir)}`],
  ];
  const table = rows.map(([name = "", value]) => `  ${name.padEnd(11)}${value}`);
  const rest = [...notesOn(settings), "", `  export API_KEY=${apiKey}`];
  return `Wellspring\n\n${[...table, ...rest].join("\n")}\n`;
}

function listening({ host, port, url, variables }: Settings): string[][] {
  const urls = [url, ...networkUrls(host, port)];
  const others = new Set(urls.filter((each) => each !== variables["PUBLIC_URL"]));
  return [...others].map((each, index) => [index === 0 ? "listens at" : "", each]);
}

function notesOn({ host, variables }: Settings): string[] {
  const notes: string[] = [];
  const { hostname } = new URL(variables["PUBLIC_URL"] ?? "");
  if (variables["ALLOW_PRIVATE_TARGETS"] !== "true")
    notes.push("Components cannot reach private addresses (ALLOW_PRIVATE_TARGETS).");
  else if (!isLoopback(host))
    notes.push(
      "Components of all users reach this machine and its network (ALLOW_PRIVATE_TARGETS).",
    );
  if (!isLoopback(host) && isLoopback(hostname))
    notes.push("Endpoint URLs work on this machine only. Set PUBLIC_URL to have others call them.");
  return notes.length > 0 ? ["", ...notes.map((note) => `  ${note}`)] : [];
}
