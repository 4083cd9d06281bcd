import { readOptions } from '../kit/options.ts'
import { runProofs } from '../kit/proof-run.ts'
import { runWorst } from './run.ts'

/*
 * npm run worst [-- --only /api/v1/payments]: small requests that make large work. For every operation of the API
 * the worst requests that can be made up: full pages of large things, hostile texts, bodies and files; measured are
 * the time for which the server answers nobody else, processor time, and the size of the answer.
 */
const options = readOptions({ only: '', seed: 1 })

await runProofs([
  {
    name: 'worst',
    seed: options.seed,
    limitMs: 1_800_000,
    run: ({ signal }) => runWorst(options, signal),
  },
])
