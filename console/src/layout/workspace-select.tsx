import { Select } from "@cloudflare/kumo";

type Props = {
  /** Names by the ids of owners. */
  items: Record<string, string>;
  value: string;
  onChoose: (id: string | null) => void;
};

/** The field for choosing an owner. */
export function WorkspaceSelect({ items, value, onChoose }: Props) {
  return (
    <Select
      aria-label="Workspace"
      className="w-full"
      size="sm"
      items={items}
      value={value}
      onValueChange={onChoose}
    />
  );
}
