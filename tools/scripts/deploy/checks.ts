import { ApiFailure } from "./api.ts";

/** The state of what keeps a deployment from succeeding. */
export const IN_THE_WAY = "in the way";

/** One line of a check, as in "exists" and "queue emissions". */
type Finding = { state: string; what: string };

/** Something to look at. Where the API refuses, that is in the way of a deployment if `isRequired`. */
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
