import { parseArgs } from 'node:util'
import { runProofs } from '../../proof/kit/proof-run.ts'
import { RUNTIMES, followGuide } from './run.ts'

/*
 * npm run newcomer [-- --on node22,bun]: what a newcomer does, from an empty folder with the packed
 * packages: a service made, its first message, the dashboard in a browser, the doctor, then its own tests.
 */
const { values } = parseArgs({ options: { on: { type: 'string' } } })
const wanted = values.on?.split(',')
const chosen = RUNTIMES.filter(({ name }) => wanted === undefined || wanted.includes(name))
if (chosen.length === 0)
  throw new Error(`--on takes some of ${RUNTIMES.map(({ name }) => name).join(', ')}`)

await runProofs([
  {
    name: 'newcomer',
    seed: 1,
    limitMs: 1_800_000,
    run: (stage) => followGuide({ ...stage, runtimes: chosen }),
  },
])
