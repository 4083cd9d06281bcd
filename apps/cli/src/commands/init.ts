import { Option } from 'commander'
import { DESTINATIONS, makeService, ORMS, type ServiceOptions } from 'create-posthorn'
import { EXIT, UsageError } from '../errors.ts'
import { examples, type Define } from '../options.ts'

export const defineInit: Define = (command, { terminal, end }) => {
  command
    .argument('[folder]', 'the folder to create; must be empty or new', '.')
    .addOption(new Option('--orm <name>', 'the database library').choices(ORMS).default('pg'))
    .addOption(
      new Option('--to <destination>', 'where messages go: own functions, or a broker')
        .choices(DESTINATIONS)
        .default('handlers'),
    )
    .action(async (folder: string, options: ServiceOptions) => {
      const made = await makeService(folder, options)
      if (made.kind === 'refused') throw new UsageError(made.reason)
      for (const file of made.files) terminal.print(file)
      terminal.say(`\n${made.next}`)
      end(EXIT.ok)
    })
  examples(command, ['init shop', 'init shop --orm drizzle --to kafka'])
}
