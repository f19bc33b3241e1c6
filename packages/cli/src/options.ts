import { Api } from "./api.ts";
import { type ConnectionOptions, findConnection, findOperator } from "./connection.ts";

/** Options of every command. */
export type CommandOptions = ConnectionOptions & { json?: boolean };

/** The API of a command. */
export async function apiFor(options: CommandOptions): Promise<Api> {
  return new Api(await findConnection(options));
}

/** The operator's API of a command. */
export async function operatorApiFor(options: CommandOptions): Promise<Api> {
  return new Api(await findOperator(options));
}
