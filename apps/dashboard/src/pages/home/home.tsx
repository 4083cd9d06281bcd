import { SimpleGrid, Stack, Text } from '@mantine/core'
import { mayRead } from '../page.ts'
import { AnchorLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useUser } from '../../shell/use-user.ts'
import { pages } from '../index.ts'

/** What one does on a page, for those who see it for the first time. */
const ABOUT: Readonly<Record<string, string>> = {
  messages: 'Every message of your organisation: its state, why, and what can be done.',
  'dead-letters': 'Messages that were given up, grouped by their cause, to be replayed.',
  audit: 'Who did what, and when.',
  payments: 'Charge, refund and look up payments; what the gateway said about each.',
  approvals: 'Payments and refunds that wait for a second person.',
  reconciliation: 'Compare a bank’s statement with your payments, line by line.',
  webhooks: 'Endpoints that get your events, each delivery and its answer.',
  journey: 'One order, payment or case across all systems, from any of its ids.',
  sagas: 'Orders on their way through stock, payment and shipment.',
  'file-jobs': 'Upload a ZIP of documents and see what became of each row.',
  outbound: 'Send WhatsApp messages and follow them until they are read.',
  conversations: 'What people write back, and your answers.',
  families: 'Families, their members and invitations.',
}

/** The first page of everyone who does not run the platform: where what is done. */
export function Home() {
  const user = useUser()
  const mine = pages.filter(
    (page) => page.name !== 'home' && page.group !== 'Development' && mayRead(page, user),
  )
  return (
    <PageFrame title="Home" lead="What you can do here.">
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {mine.map(({ name, title }) => (
          <Panel key={name} title={title}>
            <Stack gap={6}>
              {ABOUT[name] !== undefined && <Text size="sm">{ABOUT[name]}</Text>}
              <AnchorLink size="sm" to={`/${name}`}>
                Open {title.toLowerCase()}
              </AnchorLink>
            </Stack>
          </Panel>
        ))}
      </SimpleGrid>
    </PageFrame>
  )
}
