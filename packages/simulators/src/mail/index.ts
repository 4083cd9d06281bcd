import { defineSimulator, type Simulator } from '../simulator.ts'
import { Mailbox } from './mail.ts'
import { mailboxPage, PAGE_POLICY } from './page.ts'
import { listenSmtp } from './smtp.ts'

export interface MailOptions {
  /** The SMTP server's port on 127.0.0.1; default 0, a free one. */
  readonly port?: number
}

const ON_THE_PAGE = 100

/** A mailbox behind a real SMTP server; `GET /sim/mail` shows it to people. */
export function mail({ port = 0 }: MailOptions = {}): Simulator {
  return defineSimulator({
    name: 'mail',
    about: 'A mailbox for every address: takes every mail by SMTP and delivers none.',
    async open(world) {
      const mailbox = new Mailbox()
      const smtp = await listenSmtp(port, mailbox.receiver(world))
      return {
        address: smtp.address,
        arrivals: (before) => mailbox.newest(before),
        forget: () => mailbox.forget(),
        close: () => smtp.close(),
        control(app) {
          app.get('', { schema: { summary: 'The mailbox as a page' } }, (_, reply) =>
            reply
              .header('content-security-policy', PAGE_POLICY)
              .type('text/html; charset=utf-8')
              .send(mailboxPage(mailbox.newest().take(ON_THE_PAGE).toArray())),
          )
        },
      }
    },
  })
}
