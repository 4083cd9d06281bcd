import { CsvError, readCsv } from '@posthorn/bulk/csv'
import { XmlError, XmlScanner, readXml } from '@posthorn/bulk/xml'
import {
  amqpBinding,
  fromCloudEvent,
  httpBinding,
  kafkaBinding,
} from '@posthorn/transports/cloudevents'
import { TransportError } from '@posthorn/transports/errors'
import { verifyWebhook } from '@posthorn/transports/webhook'
import { inPieces, readAll, type Parser } from './fuzzer.ts'

const CSV_TEXT = 'id,amount\n1,"a ""b"""\r\n2,\n"3\n3",x\n'

const XML_TEXT = '<?xml version="1.0"?><a x="1"><b>t &amp; u</b><!-- c --><![CDATA[d]]></a>'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Those of the packages, which several systems use. */
export const sharedParsers: readonly Parser[] = [
  {
    name: 'CSV',
    samples: [CSV_TEXT],
    read: (bytes) => readAll(readCsv(inPieces(bytes))),
    isRefusal: (error) => error instanceof CsvError,
  },
  {
    name: 'XML',
    samples: [XML_TEXT],
    read: (bytes) => {
      const scanner = new XmlScanner({
        open: () => true,
        text: () => undefined,
        close: () => undefined,
      })
      return readAll(readXml(inPieces(bytes), scanner))
    },
    isRefusal: (error) => error instanceof XmlError,
  },
  {
    name: 'signature of Standard Webhooks',
    samples: ['msg_1\n1790000000\nv1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=\n{}'],
    read: async (bytes) => {
      const [id, timestamp, signature, body = ''] = bytes.toString('latin1').split('\n')
      const standard = { 'webhook-id': id, 'webhook-timestamp': timestamp }
      const headers = { ...standard, 'webhook-signature': signature, 'x-webhook-signature': id }
      const answers = [
        verifyWebhook({ headers, body, secrets: [secret] }),
        verifyWebhook({ headers: { 'x-webhook-signature': signature }, body, secrets: [secret] }),
      ]
      if (answers.some(({ ok }) => ok)) throw new Error('a forged signature was believed')
    },
  },
  {
    name: 'CloudEvents',
    samples: [
      'ce_id=1\nce_time=2026-03-01T00:00:00Z\nce_posthornversion=2\ncloudEvents:type=x\n{}',
    ],
    read: async (bytes) => {
      const lines = bytes.toString('latin1').split('\n')
      const body = Buffer.from(lines.pop() ?? '', 'latin1')
      const headers = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
      const fallback = { id: () => 'none', type: 'unknown' }
      for (const binding of [kafkaBinding, amqpBinding, httpBinding]) {
        const { occurredAt } = fromCloudEvent({ headers, body }, binding, fallback)
        if (Number.isNaN(occurredAt.getTime())) throw new Error('an event at no time')
      }
    },
    isRefusal: (error) => error instanceof TransportError && error.code === 'MESSAGE_UNREADABLE',
  },
]
