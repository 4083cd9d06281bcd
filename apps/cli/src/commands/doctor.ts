import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { examples, onDatabase, withJson, type Ended } from './option.ts'

export interface DoctorOptions {
  readonly dataDir?: string
  readonly config?: string
  readonly json?: true
  readonly strict?: true
}

export function addDoctor(program: Command, terminal: Terminal, ended: Ended): void {
  const doctor = program
    .command('doctor')
    .description(
      'Check everything that can be checked: environment, secrets, disk, database, settings, ' +
        'locks, tables, indexes, vacuum, wake-ups, brokers, relays. Changes nothing; exits with 1 ' +
        'if something fails.',
    )
    .option('--strict', 'exit with 3 if there are warnings')
  onDatabase(withJson(doctor)).action(async (options: DoctorOptions) => {
    const { runDoctor } = await import('../doctor/doctor.ts')
    ended(await runDoctor(terminal, options))
  })
  examples(doctor, ['doctor', 'doctor --json | jq \'.findings[] | select(.level != "ok")\''])
}
