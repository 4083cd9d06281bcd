import type { SourceFile } from './source-files.ts'

const WAITS = /^(?:(?:export )?const [^\n]*= )?await (?!import\()/m

/** What tests share; a process of its own is no module of theirs. */
const SHARED = /\/(testing|harness)\/(?!.*-process\.ts$)/

/**
 * Modules of tests that open something while they are imported. One process runs many test files and imports a
 * module once: what it opened is closed after the first file, and the second finds it gone.
 */
export function findOpening({ path, text }: SourceFile): string[] {
  const isShared = SHARED.test(path) && !path.endsWith('.test.ts')
  return isShared && WAITS.test(text) ? [`${path}: opens something while it is imported`] : []
}
