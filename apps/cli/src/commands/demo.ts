import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, onDatabase, withJson, type Ended } from './option.ts'

export interface DemoOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly url?: string
  readonly token?: string
  readonly json?: true
}

export function addDemo(program: Command, terminal: Terminal, ended: Ended): void {
  const demo = program
    .command('demo')
    .description(
      'Run a demo through all systems of a running development server, with their failures, ' +
        'and leave a failed webhook to fix. Takes about a minute; Ctrl-C stops it.',
    )
    .option('--url <address>', 'where the server is (default: as HOST and PORT say)')
    .option('--token <token>', 'an operator’s (default: one by the secret of the server)')
  onDatabase(withJson(demo)).action(async (options: DemoOptions) => {
    const { playDemo } = await import('../demo.ts')
    ended(await playDemo(terminal, options))
  })
  examples(demo, ['demo', 'demo --url http://127.0.0.1:8080'])
}
