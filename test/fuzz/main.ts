import { runProofs, type Proof } from '../../proof/kit/proof-run.ts'
import { fuzzAs, parseOptions } from './callers.ts'
import { fuzzParsers } from './parsers.ts'

/*
 * npm run fuzz [-- --seed 2 --examples 50 --seconds 600 --roles operator,member --requests 10000]: requests made up by
 * schemathesis from what the server says of itself, and GraphQL made up from its schema, by a caller
 * of each role against a server of its own; every answer must be one that is described, and none a
 * 5xx. Then damaged files, archives, signatures, events and webhooks for every parser of strangers'
 * input, for --minutes; each is read, or refused as its parser refuses.
 *
 * npm run fuzz -- --parsers --minutes 10: the parsers alone.
 */
const options = parseOptions()
/** For the server to start, for GraphQL, and for schemathesis to come to its end. */
const AROUND_MS = 900_000

const callers = options.roles.map((role): Proof => ({
  name: `fuzz as ${role}`,
  seed: options.seed,
  limitMs: options.seconds * 1_000 + AROUND_MS,
  run: async ({ folder, signal }) => [await fuzzAs(role, { ...options, folder, signal })],
}))
const parsers: Proof = {
  name: 'fuzz of parsers',
  seed: options.seed,
  limitMs: options.minutes * 60_000 + AROUND_MS,
  run: async () => [await fuzzParsers(options)],
}
await runProofs(options.parsers ? [parsers] : [...callers, parsers])
