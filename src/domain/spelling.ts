/** A shorter word has too many neighbours, a longer one is an identifier rather than a word. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 24;

/** A word, and the word without each of its letters. Words that are one typo apart share one of these. */
export function spellingsOf(word: string): string[] {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return [];
  const shorter = Array.from(
    { length: word.length },
    (_, at) => word.slice(0, at) + word.slice(at + 1),
  );
  return [...new Set([word, ...shorter])];
}

/** Whether one letter more, less or changed, or two swapped neighbours, turn one word into the other. */
export function isOneTypoApart(one: string, other: string): boolean {
  const start = sharedLength(one, other);
  const [left, right] = [one.slice(start), other.slice(start)];
  const rests = [
    left.slice(1) === right.slice(1),
    left.slice(1) === right,
    left === right.slice(1),
  ];
  return (
    rests.includes(true) ||
    (left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0])
  );
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
