import { readFileSync } from 'node:fs'
import { optionalText } from '@posthorn/system'

/** PEM texts. */
export interface TlsFiles {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

const file = (description: string) =>
  optionalText(`${description}, a PEM file`, { pattern: '^[^\\u0000]+$' })

/** The settings that name files: `<prefix>_CA_FILE`, `_CERT_FILE`, `_KEY_FILE`. */
export function tlsSettings<Prefix extends string>(prefix: Prefix, server: string) {
  return {
    [`${prefix}_CA_FILE`]: file(`CA certificates of ${server}`),
    [`${prefix}_CERT_FILE`]: file('client certificate'),
    [`${prefix}_KEY_FILE`]: file('key of the client certificate'),
  } as Record<`${Prefix}_${'CA' | 'CERT' | 'KEY'}_FILE`, ReturnType<typeof file>>
}

/** Reads the files that those settings name. */
export function readTls(prefix: string, values: Readonly<Record<string, unknown>>): TlsFiles {
  const files = (['ca', 'cert', 'key'] as const).flatMap((name) => {
    const path = values[`${prefix}_${name.toUpperCase()}_FILE`]
    return typeof path === 'string' ? [[name, readFileSync(path, 'utf8')] as const] : []
  })
  return Object.fromEntries(files)
}

export function fileMistakes(env: NodeJS.ProcessEnv, prefix: string): string[] {
  const mistakes = ['CA', 'CERT', 'KEY'].flatMap((kind) => {
    const name = `${prefix}_${kind}_FILE`
    return env[name] ? readingMistakes(name, env[name]) : []
  })
  if (Boolean(env[`${prefix}_CERT_FILE`]) !== Boolean(env[`${prefix}_KEY_FILE`])) {
    mistakes.push(`${prefix}_CERT_FILE and ${prefix}_KEY_FILE belong together`)
  }
  return mistakes
}

function readingMistakes(name: string, path: string): string[] {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ')
      ? []
      : [`${name} must be a PEM file, which ${path} is not`]
  } catch (error) {
    return [`${name} cannot be read: ${(error as Error).message}`]
  }
}
