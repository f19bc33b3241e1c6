import { ApiFailure } from "./api.ts";

/** The state of a finding that blocks a deployment. */
export const IN_THE_WAY = "in the way";

/** One line of a check, as in "exists" and "queue emissions". */
type Finding = { state: string; what: string };

/** A check. With `isRequired`, an API error blocks the deployment. */
export type Check = {
  subject: string;
  isRequired: boolean;
  look: () => Promise<Finding | Finding[]>;
};

/** The result of a look-up, or undefined if the API returns not found. */
export async function unless404<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return undefined;
    throw error;
  }
}
