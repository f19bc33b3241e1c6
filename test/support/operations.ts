import { adminDocument } from "#worker/http/admin/router.ts";
import { connectDocument } from "#worker/http/connect/router.ts";
import { v1Document } from "#worker/http/v1/router.ts";

type Operation = {
  operationId: string;
  summary?: string;
  parameters?: { name?: string; in?: string; $ref?: string }[];
  description?: string;
  responses: Record<string, object>;
  requestBody?: { content: Record<string, object> };
};

/** One operation of a document. */
export type Described = { method: string; path: string; operation: Operation };

/** Every operation of a document. */
function operationsOf({ paths }: { paths?: object }): Described[] {
  return Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export const v1Operations = operationsOf(v1Document());
export const connectOperations = operationsOf(connectDocument());
export const adminOperations = operationsOf(adminDocument());
