import type { Servers } from '../../kit/servers/servers.ts'
import type { ServerName } from '../lines.ts'
import { draw, type Fault } from './fault.ts'

/** How often each is struck: Kafka takes long to come back. */
const WEIGHTS: Readonly<Record<ServerName, number>> = { postgres: 4, rabbitmq: 2, kafka: 1, s3: 2 }

const restarts: readonly Fault[] = (Object.keys(WEIGHTS) as ServerName[]).map((name) => ({
  name: `restart ${name}`,
  weight: WEIGHTS[name],
  plan(random) {
    const isCrash = draw(random, [true, true, false])
    return {
      text: isCrash ? `kill -9 ${name}, started again` : `${name} restarted in good order`,
      targets: [name],
      run: ({ servers }) => restart(servers, name, isCrash),
    }
  },
}))

/** Between the last process of each role and Postgres. */
const pooler: Fault = {
  name: 'restart pooler',
  weight: 3,
  plan(random) {
    const isCrash = draw(random, [true, false])
    return {
      text: isCrash ? 'kill -9 the pooler, started again' : 'the pooler restarted in good order',
      targets: ['pooler'],
      run: async ({ pooler: struck }) => (isCrash ? struck?.crash() : struck?.restart()),
    }
  },
}

export const serverFaults: readonly Fault[] = [...restarts, pooler]

async function restart(servers: Servers, name: ServerName, isCrash: boolean): Promise<void> {
  if (name === 'postgres') {
    await (isCrash ? servers.crashPostgres() : servers.restartPostgres())
  } else {
    await (isCrash ? servers.crash(name) : servers.restart(name))
  }
}
