import type * as contract from "../src/testing.ts";
import { testAction as action } from "./action.ts";
import { testSource as source } from "./source.ts";

export const testSource: typeof contract.testSource = source;
export const testAction: typeof contract.testAction = action;
