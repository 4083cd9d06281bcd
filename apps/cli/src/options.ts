import { InvalidArgumentError, type Command } from 'commander'
import type { ExitCode } from './errors.ts'
import type { Terminal } from './terminal/terminal.ts'

/** What a command works with. */
export interface Context {
  readonly terminal: Terminal
  /** Takes the exit code of the command. */
  readonly end: (code: ExitCode) => void
}

/** Adds arguments, options, examples and the action to a command that has its name and description. */
export type Define = (command: Command, context: Context) => void

/** What `onDatabase` and `withJson` add. */
export interface DatabaseOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly json?: true
}

/** What `asOperator` adds. */
export interface OperatorOptions extends DatabaseOptions {
  readonly by?: string
  readonly reason?: string
}

/** What `withFilter` adds. */
export interface FilterOptions {
  readonly id?: readonly string[]
  readonly type?: string
  readonly tenant?: string
  readonly key?: string
  readonly code?: string
  readonly since?: string
  readonly until?: string
}

/** A number and a unit. */
export const DURATION = /^\d+(\.\d+)?(ms|s|m|h|d)$/

/** A duration as definitions have it; the engine itself is not loaded to say so. */
export function parseDuration(text: string): string {
  if (DURATION.test(text) && Number.parseFloat(text) > 0) return text
  throw new InvalidArgumentError('A duration is a number and a unit: 30s, 5m, 12h, 7d.')
}

/** A whole number from 1 on. */
export function parseCount(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a whole number from 1 on.')
}

/** A number above zero. */
export function parseRate(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value > 0 && value <= 1e6) return value
  throw new InvalidArgumentError('It must be a number above 0.')
}

/** An option that may stand several times, each time with one value or more. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** Checks that a text is a point in time or a duration; `readFilter` converts it. */
function parseTime(text: string): string {
  if (DURATION.test(text) || !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError(
    'It must be a time such as 2026-03-01T12:00:00Z, or how long ago, such as 2h.',
  )
}

/** Options of every command that opens the database. */
export function onDatabase(command: Command): Command {
  return withConfig(command).option(
    '--data-dir <folder>',
    'the folder of the embedded PostgreSQL (default: POSTHORN_DATA_DIR, else .posthorn)',
  )
}

export function withConfig(command: Command): Command {
  return command.option(
    '--config <file>',
    'the module that exports your outboxes and systems (default: POSTHORN_CONFIG, else posthorn.config.ts)',
  )
}

/** Options of every command that changes something in an operator's name. */
export function asOperator(command: Command): Command {
  return withName(command).option('--reason <text>', 'the reason, for the audit')
}

export function withName(command: Command): Command {
  return command.option(
    '--by <name>',
    'your name, for the audit (default: POSTHORN_OPERATOR, else your account)',
  )
}

/** Options that choose messages. */
export function withFilter(command: Command, happened: string): Command {
  return command
    .option('--id <id>', 'only this message; may be repeated', collect)
    .option('--type <type>', 'only messages of this type')
    .option('--tenant <tenant>', 'only messages of this tenant')
    .option('--key <key>', 'only messages of this key')
    .option('--code <code>', 'only messages whose last failure has this code')
    .option(
      '--since <time>',
      `only those ${happened} since this time, or how long ago: 2h`,
      parseTime,
    )
    .option(
      '--until <time>',
      `only those ${happened} before this time, or how long ago: 2h`,
      parseTime,
    )
}

export function withJson(command: Command): Command {
  return command.option('--json', 'one JSON document instead of text')
}

/** Examples at the end of a command's help. */
export function examples(command: Command, lines: readonly string[]): Command {
  const text = lines.map((line) => `  $ posthorn ${line}`).join('\n')
  return command.addHelpText('after', `\nExamples:\n${text}`)
}

/** Leaves out the fields that were not given. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as never
}
