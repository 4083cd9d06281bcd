type Column<Name> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Column<Rest>}`
    : `_${Lowercase<First>}${Column<Rest>}`
  : Name

/** The row behind an object: `createdAt` is the column `created_at`, and what may be undefined is null there. */
export type RowOf<Shown> = {
  readonly [Name in keyof Shown as Column<Name>]: undefined extends Shown[Name]
    ? Exclude<Shown[Name], undefined> | null
    : Shown[Name]
}

/** The object that a row stands for. */
export function fromRow<Shown extends object>(row: RowOf<Shown>): Shown {
  const fields = Object.entries(row).map(([column, value]) => [
    column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value ?? undefined,
  ])
  return Object.fromEntries(fields) as Shown
}
