import {
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from "@tanstack/react-query";

import { errorMessage } from "../api/messages.ts";
import { deletionKey } from "./deletion.ts";
import { recoverFocus } from "./focus.ts";
import { showToast } from "./toasts.ts";

/**
 * A mutation. A toast confirms it, or shows the error; the queries of the changed resources are refetched.
 * `isFailureShown`: the caller shows failures itself, like dialogs and forms.
 */
export function useAction<Input = void, Output = unknown>({
  run,
  done,
  changes = [],
  deletes,
  onDone,
  isFailureShown = false,
}: {
  run: (input: Input) => Promise<Output>;
  /** The message of success: `Source paused`. */
  done: string | ((output: Output, input: Input) => string);
  /** The keys of the changed queries. */
  changes?: QueryKey[];
  /** The id of the resource that it deletes. */
  deletes?: string;
  onDone?: (output: Output, input: Input) => void;
  isFailureShown?: boolean;
}): UseMutationResult<Output, Error, Input> {
  const client = useQueryClient();
  return useMutation<Output, Error, Input>({
    ...(deletes !== undefined && { mutationKey: deletionKey(deletes) }),
    mutationFn: run,
    onSuccess: (output, input) => {
      showToast({
        variant: "success",
        title: typeof done === "function" ? done(output, input) : done,
      });
      const refetched = changes.map((queryKey) => client.invalidateQueries({ queryKey }));
      // The button that was pressed may belong to a row that is gone then.
      void Promise.allSettled(refetched).then(() => recoverFocus());
      onDone?.(output, input);
    },
    onError: (error) => {
      if (!isFailureShown) showToast({ variant: "error", title: errorMessage(error) });
    },
  });
}
