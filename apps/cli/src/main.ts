import type { CommanderError } from 'commander'
import { EXIT, explain, UsageError, type ExitCode } from './errors.ts'
import { createProgram } from './program.ts'
import { terminalOf, type Terminal } from './terminal/terminal.ts'

/** Runs the command line of this process and ends it. */
export async function main(host: NodeJS.Process): Promise<void> {
  // `posthorn messages … | head` closes the pipe: that is no failure, and the output has no reader any more.
  for (const stream of [host.stdout, host.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      // A command that listens for signals has something to finish first.
      if (host.listenerCount('SIGTERM') > 0) host.emit('SIGTERM', 'SIGTERM')
      else host.exit(EXIT.ok)
    })
  }
  const code = await run(terminalOf(host), host.argv.slice(2))
  // What was written to a pipe may still be on its way. What holds the process open after that
  // is a connection that no command waits for.
  host.stdout.write('', () => host.stderr.write('', () => host.exit(code)))
}

/** Runs one command; an error is printed and becomes an exit code. */
export async function run(terminal: Terminal, args: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const end = (ended: ExitCode) => void (code = ended)
  const called = args.find((arg) => !arg.startsWith('-'))
  try {
    const program = await createProgram({ terminal, end }, (name) => name === called)
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (error instanceof UsageError || isConfigurationError(error)) {
      terminal.say(`posthorn: ${error.message}`)
      return EXIT.usage
    }
    terminal.say(`posthorn: ${explain(error)}`)
    return EXIT.failed
  }
}

/** By its code: it has said what it had to say already. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}

/** By its name: the class itself would bring the whole server along. */
function isConfigurationError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfigurationError'
}
