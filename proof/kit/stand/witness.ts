import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../world.ts'

/** A webhook as the merchant saw it. */
export interface SeenWebhook {
  readonly id: string
  /** False where a signature is wrong; what got no answer was not looked at. */
  readonly isVerified: boolean
  /** Whether the merchant has it, whatever it answered. */
  readonly isTaken: boolean
}

/** Reads along what arrives outside: the simulators forget the oldest. */
export interface Witness {
  readonly webhooks: readonly SeenWebhook[]
  /** Ids of messages that WhatsApp accepted, once for each time. */
  readonly accepted: readonly string[]
  /** Reads the rest. */
  close(): Promise<void>
}

interface Seen {
  readonly id: number
  readonly outcome: string
  readonly headers: Readonly<Record<string, string>>
  readonly verified?: boolean
  readonly messageId?: string
  readonly fault: { readonly effect: boolean } | null
  readonly body: { readonly biz_opaque_callback_data?: string } | null
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

const EVERY_MS = 5_000
const PAGE = 1_000

export function startWitness(world: World): Witness {
  const webhooks: SeenWebhook[] = []
  const accepted: string[] = []
  const merchant = reader(world, 'merchant', ({ headers, verified = true, outcome, fault }) => {
    const isTaken = outcome === 'ok' || outcome === 'slow' || fault?.effect === true
    webhooks.push({ id: headers['webhook-id'] ?? '', isVerified: verified, isTaken })
  })
  const whatsapp = reader(world, 'whatsapp', ({ messageId, body }) => {
    // The id of the message, and perhaps which attempt it was.
    if (messageId !== undefined)
      accepted.push(UUID.exec(body?.biz_opaque_callback_data ?? '')?.[0] ?? '')
  })
  const over = new AbortController()
  const reading = (async () => {
    while (!over.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
      await merchant()
      await whatsapp()
    }
  })()
  return {
    webhooks,
    accepted,
    async close() {
      over.abort()
      await reading
    },
  }
}

/** Reads what is new and has come to its end, oldest first. */
function reader(world: World, name: string, see: (seen: Seen) => void): () => Promise<void> {
  let upto = 0
  return async () => {
    const fresh: Seen[] = []
    for (let before = ''; ;) {
      const query = `limit=${PAGE}${before && `&before=${before}`}`
      const { items } = await world.read<{ items: Seen[] }>(`/${name}/requests?${query}`)
      fresh.push(...items.filter(({ id }) => id > upto))
      const last = items.at(-1)
      if (!last || last.id <= upto || items.length < PAGE) break
      before = String(last.id)
    }
    fresh.reverse()
    const pending = fresh.findIndex(({ outcome }) => outcome === 'pending')
    const ended = pending < 0 ? fresh : fresh.slice(0, pending)
    ended.forEach(see)
    upto = ended.at(-1)?.id ?? upto
  }
}
