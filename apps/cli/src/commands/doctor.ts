import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import type { Ended } from './option.ts'
import { examples, onDatabase, withJson } from './option.ts'

export interface DoctorOptions {
  readonly dataDir?: string
  readonly json?: true
}

export function addDoctor(program: Command, terminal: Terminal, ended: Ended): void {
  const doctor = program
    .command('doctor')
    .description(
      'Check everything that can be checked: environment, disk, database, tables, indexes, ' +
        'brokers, relays. Changes nothing; exits with 1 if something fails.',
    )
  onDatabase(withJson(doctor)).action(async (options: DoctorOptions) => {
    const { runDoctor } = await import('../doctor/doctor.ts')
    ended(await runDoctor(terminal, options))
  })
  examples(doctor, ['doctor', 'doctor --json | jq \'.findings[] | select(.level != "ok")\''])
}
