import { InvalidArgumentError } from "commander";

/** A number of rows or objects on the command line. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}
