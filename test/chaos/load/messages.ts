import { pace, type Load } from './load.ts'

const PER_SECOND = 3
/** By its last digits the simulator does something: nothing, refuse once, fail later, never answer. */
const ENDINGS = ['1234', '1235', '1236', '1237', '1238', '0429', '0026', '0500']

/** Template messages by WhatsApp. */
export const messages: Load = {
  system: 'messages',
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
