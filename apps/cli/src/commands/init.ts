import { Option, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, type Ended } from './option.ts'

export const ORMS = ['pg', 'drizzle', 'prisma'] as const
export const DESTINATIONS = ['handlers', 'topics', 'kafka', 'rabbitmq'] as const

export interface InitOptions {
  readonly orm: (typeof ORMS)[number]
  readonly to: (typeof DESTINATIONS)[number]
}

export function addInit(program: Command, terminal: Terminal, ended: Ended): void {
  const init = program
    .command('init')
    .argument('[folder]', 'where; it must be empty or new', '.')
    .description('Make a small service that runs: an outbox, its messages, tests.')
    .addOption(
      new Option('--orm <name>', 'what it reads and writes with').choices(ORMS).default('pg'),
    )
    .addOption(
      new Option('--to <destination>', 'where its messages go: functions of its own, or a broker')
        .choices(DESTINATIONS)
        .default('handlers'),
    )
    .action(async (folder: string, options: InitOptions) => {
      const { makeService } = await import('../init/init.ts')
      ended(await makeService(terminal, { folder, ...options }))
    })
  examples(init, ['init shop', 'init shop --orm drizzle --to kafka'])
}
