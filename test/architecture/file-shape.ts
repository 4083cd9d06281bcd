import { posix } from 'node:path'
import { isTest, type SourceFile } from './source-files.ts'
import { countLines, readSource } from './source-text.ts'

const MOST_LINES = 400
const MOST_LINES_OF_TESTS = 600

/** Names that say nothing about what is inside. */
const BANNED =
  /^(utils?|helpers?|lib|common|types?|constants?|manager|service|misc|shared)(\.test)?\.\w+$/

/** What is wrong with the file as a file: its size, its name, how it exports. */
export function wrongShape(file: SourceFile): string[] {
  const problems: string[] = []
  const lines = countLines(file.text)
  const most = isTest(file.path) ? MOST_LINES_OF_TESTS : MOST_LINES
  if (lines > most) problems.push(`has ${lines} lines, ${most} are allowed`)
  if (BANNED.test(posix.basename(file.path))) problems.push('has a name that says nothing')
  if (exportsDefault(file.text) && !/\.config\.ts$/.test(file.path)) {
    problems.push('has a default export')
  }
  return problems.map((problem) => `${file.path} ${problem}`)
}

function exportsDefault(text: string): boolean {
  return /\bexport\s+default\b|\bas\s+default\s*[,}]/.test(readSource(text).code)
}

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
