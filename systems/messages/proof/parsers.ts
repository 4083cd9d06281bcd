import { Value } from 'typebox/value'
import { json, type Parser } from '@posthorn/fuzz'
import { readInbound } from '../conversations/inbound.ts'
import { WebhookBody, readReports } from '../statuses/report.ts'

const STATUS = { id: 'wamid.1', status: 'failed', timestamp: '1790000000', errors: [{ code: 1 }] }
const META = {
  entry: [
    {
      changes: [
        {
          value: {
            metadata: { phone_number_id: '106540352242922' },
            contacts: [{ wa_id: '4917012345', profile: { name: 'Ada' } }],
            messages: [
              { id: 'wamid.2', from: '4917012345', type: 'text', text: { body: 'STOP' } },
              { id: 'wamid.3', from: '4917012345', type: 'image', image: { caption: 'x' } },
            ],
            statuses: [STATUS, { ...STATUS, biz_opaque_callback_data: 'x' }],
          },
        },
      ],
    },
  ],
}
/** What messages read of strangers. */
export const parsers: readonly Parser[] = [
  json("WhatsApp's webhook", META, (value) => {
    if (!Value.Check(WebhookBody, value)) return
    readReports(value)
    const changes = value.entry.flatMap((entry) => entry.changes ?? [])
    readInbound(changes.flatMap((change) => change.value ?? []))
  }),
]
