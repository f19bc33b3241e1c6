import { Api } from "./api.ts";
import { type ConnectionOptions, findConnection } from "./connection.ts";

/** Options that every command takes. */
export type CommandOptions = ConnectionOptions & { json?: boolean };

/** The API that a command speaks to. */
export async function apiFor(options: CommandOptions): Promise<Api> {
  return new Api(await findConnection(options));
}
