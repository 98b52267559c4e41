/** The conditions of a conditional write and of a check. */
export const Condition = Object.freeze({
  /** The key has no value. */
  absent: () => ({ kind: 'ABSENT' }),
  /** The key has a value. */
  exists: () => ({ kind: 'EXISTS' }),
  /** The key's value has this tag. */
  tagIs: (tag) => ({ kind: 'TAG_IS', tag }),
  /** The key's value has exactly these bytes. */
  valueIs: (value) => ({ kind: 'VALUE_IS', value }),
});
