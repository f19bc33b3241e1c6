import { z } from "@hono/zod-openapi";

import type { Member } from "#services/workspaces.ts";

/** A member of a workspace. */
export const MemberBody = z
  .object({
    user_id: z.string(),
    username: z.string(),
    email: z.string(),
    joined_at: z.int(),
  })
  .openapi("WorkspaceMember");

/** A member as the API shows it. */
export function presentMember(member: Member): z.input<typeof MemberBody> {
  const { userId, username, email, joinedAt } = member;
  return { user_id: userId, username, email, joined_at: joinedAt };
}
