import { drawMs, holdFor, inSeconds, type Fault } from '../../../proof/chaos/faults/fault.ts'
import { pace } from '../../../proof/kit/stand/load.ts'
import type { Counts, SystemProof } from '../../../proof/kit/stand/system-proof.ts'
import { whatsapp } from '../simulators/index.ts'
import { acceptedMessage, messageLines } from './ledger.ts'
import { selectMessages } from './queries.ts'

const PER_SECOND = 3
/** By its last digits the simulator does something: nothing, refuse once, fail later, never answer. */
const ENDINGS = ['1234', '1235', '1236', '1237', '1238', '0429', '0026', '0500']

const ACCESS_TOKEN = 'an access token of the proofs'
const APP_SECRET = 'an app secret of the proofs'

const USUAL_REPORTS = { repeat: 1, reorder: false, echo: true }

const statuses: Fault = {
  name: 'statuses',
  weight: 4,
  plan(random) {
    const behaviour = { repeat: 1 + random.below(3), reorder: true, echo: random.fraction() < 0.5 }
    const ms = drawMs(random, 3_000, 8_000)
    return {
      text: `statuses of WhatsApp ${behaviour.repeat} times, in reverse, for ${inSeconds(ms)}`,
      targets: ['whatsapp statuses'],
      async run({ world, signal }) {
        await world.control('PUT', '/whatsapp/behaviour', behaviour)
        await holdFor(ms, signal, () => world.control('PUT', '/whatsapp/behaviour', USUAL_REPORTS))
      },
    }
  },
}

/** Template messages by WhatsApp. */
export const proof: SystemProof = {
  name: 'messages',
  simulators: (webhooks) => [
    whatsapp({
      ...{ accessToken: ACCESS_TOKEN, appSecret: APP_SECRET },
      webhookUrl: `${webhooks}/whatsapp/inbound`,
    }),
  ],
  env: ({ simulators, smtp, isImpatient }) => ({
    ...{ WHATSAPP_API_URL: `${simulators}/whatsapp`, WHATSAPP_ACCESS_TOKEN: ACCESS_TOKEN },
    ...{ WHATSAPP_APP_SECRET: APP_SECRET, OUTBOUND_EMAIL_URL: smtp },
    ...(isImpatient && { WHATSAPP_TIMEOUT_MS: '2000' }),
  }),
  witnessing: { simulator: 'whatsapp', note: acceptedMessage },
  faults: [statuses],
  // A report proves that WhatsApp has the message, although its answer was lost.
  ways: { 'messages.outbound': ['QUEUED → SENT'] },
  // What failed for good, as a number that is not on WhatsApp, fails again.
  final: ['messages.outbound'],
  async rest(db, { isLossy }): Promise<Counts> {
    if (isLossy) return {}
    const sent = (await selectMessages(db)).filter(({ status }) => status === 'SENT')
    return { 'messages sent': sent.length }
  },
  async inFlight(db) {
    const open = ['QUEUED', 'SENDING', 'SENT']
    return { messages: (await selectMessages(db)).filter((m) => open.includes(m.status)).length }
  },
  lines: messageLines,
  run: ({ client, random, rate, over }) =>
    pace(PER_SECOND * rate, over, async (i) => {
      const ending = ENDINGS[random.below(ENDINGS.length)]
      await client.ask({
        ...{ method: 'POST', path: '/api/v1/outbound/messages', key: `message-${i}` },
        json: {
          channel: 'whatsapp',
          to: `+1650${200 + (i % 800)}${ending}`,
          templateCode: 'otp_code',
          payloadJson: { language: 'en_US', parameters: [String(i)] },
        },
      })
    }),
}
