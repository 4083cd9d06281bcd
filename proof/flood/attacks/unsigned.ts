import { request } from 'node:http'
import { networkAt, repeat, type Attack } from './attack.ts'

const AT_ONCE = 16
/** As much as the route takes: numbers, which are the dearest to parse for their bytes. */
const BODY = Buffer.from(`[${'0,'.repeat(2 * 1_048_576 - 2)}0]`)
const PATH = '/api/v1/webhooks/whatsapp/inbound'

/** Webhooks without a valid signature, of 4 MiB each, from several networks. */
export const unsigned: Attack = {
  name: 'unsigned',
  about: `${AT_ONCE} webhooks of 4 MiB at once, without a signature or with a wrong one`,
  async run({ url, tally, over }) {
    await repeat(AT_ONCE, over, async (place, turn) => {
      tally.count(await post(new URL(PATH, url), { place, turn }))
    })
  },
}

function post(url: URL, { place, turn }: { place: number; turn: number }): Promise<string> {
  return new Promise((resolve) => {
    const isSigned = turn % 2 === 0
    const asking = request(
      url,
      {
        method: 'POST',
        timeout: 30_000,
        localAddress: networkAt(place),
        headers: {
          'content-type': 'application/json',
          'content-length': String(BODY.length),
          ...(isSigned && { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }),
        },
      },
      (response) => {
        response.resume()
        resolve(String(response.statusCode))
        // A refusal comes before the body has been sent; the rest of it need not be.
        response.on('end', () => asking.destroy())
      },
    )
    asking.on('timeout', () => asking.destroy(new Error('too late')))
    asking.on('error', (error: NodeJS.ErrnoException) => resolve(`none: ${error.code ?? 'late'}`))
    asking.end(BODY)
  })
}
