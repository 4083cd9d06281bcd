/** What the environment says, checked. */
export interface Configuration {
  /** A PostgreSQL of your own; without it an embedded one runs in `dataFolder`. */
  readonly databaseUrl: string | undefined
  readonly dataFolder: string
}

/** Reads the environment; throws one error that names every mistake in it. */
export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const mistakes: string[] = []
  const databaseUrl = env['DATABASE_URL'] || undefined
  if (databaseUrl !== undefined && !isPostgresUrl(databaseUrl)) {
    mistakes.push('DATABASE_URL must look like postgresql://user:password@host:5432/database')
  }
  const dataFolder = env['POSTHORN_DATA_DIR'] || '.posthorn'
  if (dataFolder.includes('\0')) mistakes.push('POSTHORN_DATA_DIR must be a path')
  if (mistakes.length > 0)
    throw new Error(`The environment is not right:\n  ${mistakes.join('\n  ')}`)
  return { databaseUrl, dataFolder }
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)
}
