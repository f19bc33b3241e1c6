import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { agentOf } from "../support/mcp.ts";

/** A tokenizer's way of splitting text before it merges: words with their space, digits by three, punctuation. */
const PIECES = /[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu;

/** The approximate tokens of a text: common words are one, longer ones one for each six letters begun. */
function tokensOf(text: string): number {
  const pieces = text.match(PIECES) ?? [];
  return pieces.reduce((sum, piece) => sum + Math.ceil(piece.trim().length / 6 || 1), 0);
}

test("the tools of any number of actions use few tokens of the initial context", async () => {
  const ada = await signUp();
  const agent = agentOf(ada.user.api_key);
  const { body } = await agent.send("tools/list");
  const { instructions } = (await agent.send("server/discover")).body.result;
  const names = body.result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["search", "describe", "run", "connect", "execute"]);
  expect(body.result.nextCursor).toBeUndefined();
  expect(tokensOf(JSON.stringify(body.result.tools) + instructions)).toBeLessThanOrEqual(1100);
});
