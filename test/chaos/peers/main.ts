import { parseArgs } from 'node:util'
import { isBroken, printLedger } from '../../crash/ledger.ts'
import { printLogs } from '../../crash/logs.ts'
import { startServers } from '../../crash/servers.ts'
import { runPeers } from './run.ts'

/*
 * node test/chaos/peers/main.ts [--seed 7 --seconds 60]: Posthorn, pg-boss and graphile-worker with the
 * same messages, handlers and kills in one Postgres, and what each lost, doubled, disordered or left
 * locked. It ends well if Posthorn kept its promises; the others are counted and not judged.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
  },
})
const called = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => called.abort(new Error(`stopped by ${name}`)))
}
const servers = await startServers([])
let failed = true
try {
  const options = { seed: Number(values.seed), seconds: Number(values.seconds) }
  const ledgers = await runPeers(servers, options, called.signal)
  ledgers.forEach(printLedger)
  failed = ledgers.some(({ lines }) => lines.some(isBroken))
} catch (error) {
  console.error(error)
} finally {
  if (failed) await printLogs(servers.folder).catch(() => undefined)
  await servers.stop({ keep: false })
}
console.log(`\n${failed ? 'BROKEN' : 'held'}, seed ${values.seed}`)
process.exit(failed ? 1 : 0)
