import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { blocksOf, root, type Page } from './markdown.ts'

/*
 * A page's TypeScript blocks are one program. The words behind a block's language say what it is:
 *
 *   ts                      part of the program
 *   ts no-run <reason>      only type-checked, with the rest of the page in scope
 *   <lang> <path>           a file beside the program (`sql migrations/0001_shop.sql`)
 *   <lang> output           what the program prints; together, all that it prints
 *
 * The last two may be combined: a file that the program itself prints.
 */

export interface Program {
  readonly page: string
  /** What is run. */
  readonly main: string
  /** What is type-checked: the same, and the blocks that are not run. */
  readonly checked: string
  readonly files: readonly { path: string; text: string }[]
  /** Undefined: the page does not say what is printed. */
  readonly output: string | undefined
  /** Blocks that are not run, with the reason their author gave. */
  readonly skipped: readonly { line: number; reason: string }[]
}

export function programOf(page: Page): Program {
  const blocks = blocksOf(page)
  const isPath = (word: string) => word.includes('.')
  const code = blocks.filter(({ lang, words }) => lang === 'ts' && !words.some(isPath))
  const isRun = (words: readonly string[]) => words[0] !== 'no-run'
  const main = code.filter(({ words }) => isRun(words)).map(({ text }) => text)
  const others = code.filter(({ words }) => !isRun(words))
  const printed = blocks.filter(({ words }) => words.includes('output')).map(({ text }) => text)
  return {
    page: page.path,
    main: main.join('\n'),
    checked: [...main, ...others.map(({ text }, i) => wrapUncalled(text, i))].join('\n'),
    files: blocks.flatMap(({ words, text }) => {
      const path = words.find(isPath)
      return path === undefined ? [] : [{ path, text: `${text}\n` }]
    }),
    output: printed.length === 0 ? undefined : printed.join('\n'),
    skipped: others.map(({ line, words }) => ({ line, reason: words.slice(1).join(' ') })),
  }
}

/** Imports must stand outside; the rest goes into a function that is never called. */
function wrapUncalled(text: string, i: number): string {
  const imports: string[] = []
  const body = text.replaceAll(/^import [\s\S]*?from '[^']+'$/gm, (found) => {
    imports.push(found)
    return ''
  })
  return `${imports.join('\n')}\nexport async function notRun${i}() {\n${body}\n}`
}

/**
 * A folder for programs. In `.posthorn`, which git, the formatter and the linter leave alone, and
 * not in node_modules, where Node refuses to run TypeScript.
 */
export async function programFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const parent = join(root, '.posthorn')
  await mkdir(parent, { recursive: true })
  const path = await mkdtemp(join(parent, 'docs-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Writes a program and its files into a folder of their own; returns the path of what is run. */
export async function writeProgram(folder: string, program: Program): Promise<string> {
  const own = join(folder, program.page.replaceAll('/', '-').replace(/\.md$/, ''))
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'main.ts'), program.main)
  await writeFile(join(own, 'checked.ts'), `${program.checked}\nexport {}\n`)
  for (const { path, text } of program.files) {
    await mkdir(dirname(join(own, path)), { recursive: true })
    await writeFile(join(own, path), text)
  }
  return join(own, 'main.ts')
}

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly env?: Record<string, string>
  readonly limitMs?: number
  /** By default the script's own folder. */
  readonly cwd?: string
}

/** Runs a script with the Node that runs the tests. */
export async function runScript(
  script: string,
  args: readonly string[],
  { env = {}, limitMs = 60_000, cwd = dirname(script) }: RunOptions = {},
): Promise<Run> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString()
  return { status, stdout: text(out), stderr: text(err) }
}

/** Type errors of programs that were written, as the compiler prints them; empty if there are none. */
export async function typeErrors(folder: string, scripts: readonly string[]): Promise<string> {
  const config = join(folder, 'tsconfig.json')
  const files = scripts.map((script) => join(dirname(script), 'checked.ts'))
  // A page shows a value without using it further; that is no mistake here.
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  const extending = join(root, 'tsconfig.json')
  await writeFile(
    config,
    JSON.stringify({ extends: extending, compilerOptions, include: [], files }),
  )
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout, stderr } = await runScript(compiler, ['--noEmit', '-p', config])
  return status === 0 ? '' : stdout + stderr
}
