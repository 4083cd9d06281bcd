import { runProofs } from '../../proof/kit/proof-run.ts'
import { releaseFromClone } from './run.ts'

// node test/release/main.ts: a clone without packages is packed, refused and released, to the tarballs.
await runProofs([{ name: 'release', seed: 1, limitMs: 1_800_000, run: releaseFromClone }])
