import type { Member } from "../api/account.ts";
import { CopyText } from "./copy.tsx";
import { Time } from "./time.tsx";
import type { Column } from "./virtual-table.tsx";

/** The columns of a list of a workspace's members. */
export const MEMBER_COLUMNS: Column<Member>[] = [
  { id: "user", header: "Member", cell: ({ username }) => username },
  { id: "email", header: "E-mail", cell: ({ email }) => email },
  { id: "id", header: "Id", cell: ({ user_id }) => <CopyText value={user_id} /> },
  {
    id: "joined",
    header: "Joined",
    width: "9rem",
    cell: ({ joined_at }) => <Time at={joined_at * 1000} />,
  },
];
