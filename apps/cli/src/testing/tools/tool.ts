/** A migration as people write it for their tool. */
export interface Migration {
  /** Sorts by its name: `0001_posthorn`. */
  readonly name: string
  readonly sql: string
  /** For what cannot be in a transaction; its SQL is one statement. */
  readonly transaction?: 'none'
}

/** A tool that applies migrations, as it is run for production. */
export interface MigrationTool {
  readonly name: string
  /** Whether it can run a migration outside a transaction. */
  readonly canRunApart: boolean
  /** Writes the migrations down as the tool wants them, in an empty folder, and applies those that are new. */
  apply(target: { url: string; folder: string }, migrations: readonly Migration[]): Promise<void>
}
