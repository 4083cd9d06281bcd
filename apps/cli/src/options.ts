import { InvalidArgumentError, type Command } from 'commander'
import type { ExitCode } from '../exit.ts'

/** Hears what the command came to. */
export type Ended = (code: ExitCode) => void

const DURATION = /^\d+(\.\d+)?(ms|s|m|h|d)$/

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

/** Whether a text is a point in time or a length of it; what it means is seen later. */
export function parseTime(text: string): string {
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
    'a module that exports your outboxes (default: POSTHORN_CONFIG)',
  )
}

/** Options of every command that changes something in an operator's name. */
export function asOperator(command: Command): Command {
  return command
    .option('--by <name>', 'who does it, for the audit (default: POSTHORN_OPERATOR, else you)')
    .option('--reason <text>', 'why, for the audit')
}

export function withJson(command: Command): Command {
  return command.option('--json', 'one JSON document instead of text')
}

/** Examples at the end of a command's help. */
export function examples(command: Command, lines: readonly string[]): Command {
  const text = lines.map((line) => `  $ posthorn ${line}`).join('\n')
  return command.addHelpText('after', `\nExamples:\n${text}`)
}
