import { asyncApi } from '@posthorn/operate/internal'
import { examples, withConfig, type Define } from '../options.ts'
import { openWithoutDatabase, readEnvironment, variablesOf } from '../environment.ts'
import { EXIT } from '../errors.ts'
import manifest from '../../package.json' with { type: 'json' }

/** Reads definitions only: the database need not exist yet. */
export const defineAsyncApi: Define = (command, { terminal, end }) => {
  command.option('--title <text>', 'the title of the document', 'Posthorn')
  withConfig(command).action(async (options: { title: string; config?: string }) => {
    const opened = await openWithoutDatabase(await readEnvironment(variablesOf(terminal, options)))
    terminal.printJson(asyncApi({ ...opened, title: options.title, version: manifest.version }))
    end(EXIT.ok)
  })
  examples(command, ['asyncapi --config outboxes.ts > asyncapi.json'])
}
