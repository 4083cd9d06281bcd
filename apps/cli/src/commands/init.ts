import { Option, type Command } from 'commander'
import { DESTINATIONS, makeService, ORMS, type ServiceOptions } from 'create-posthorn'
import { EXIT, UsageError } from '../exit.ts'
import type { Terminal } from '../terminal.ts'
import { examples, type Ended } from './option.ts'

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
    .action(async (folder: string, options: ServiceOptions) => {
      const made = await makeService(folder, options)
      if (made.kind === 'refused') throw new UsageError(made.reason)
      for (const file of made.files) terminal.print(file)
      terminal.say(`\n${made.next}`)
      ended(EXIT.ok)
    })
  examples(init, ['init shop', 'init shop --orm drizzle --to kafka'])
}
