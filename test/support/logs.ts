import { deploy, eventsOf, sendJson } from "./deploy.ts";

type Line = { level: string; message: string; ts: number; run_id: string };
type Source = Awaited<ReturnType<typeof deploy>>;

/** The log of a source, oldest line first. */
export async function linesOf({ stub }: Source): Promise<Line[]> {
  return (await eventsOf(stub, "$logs")).map(({ event }) => event as Line).toReversed();
}

/** The log of a component with this body of `run`: pairs of level and message. */
export async function logged(body: string, before = "") {
  const source = await deploy(`${before}
    export default { props: { http: "$.interface.http" }, async run() { ${body} } }`);
  await sendJson(source.url, {});
  const lines = await linesOf(source);
  return lines.map(({ level, message }) => [level, message]);
}
