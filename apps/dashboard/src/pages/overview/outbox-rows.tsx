import { ScrollArea, Table } from '@mantine/core'
import { Sparkline } from '../../charts/sparkline.tsx'
import { formatCount, formatRate, formatShare } from '../../format/number.ts'
import { Duration } from '../../parts/duration.tsx'
import { AnchorLink } from '../../parts/links.tsx'
import { useHistory } from './charts.tsx'
import type { OutboxItem } from './trouble.ts'
import { waitingOf } from './waiting.ts'

const HEADS = ['Outbox', 'Waiting', 'Due', 'Oldest due', 'Rate', 'Last hour', 'Failing', 'Relays']

/** Every outbox in a line. */
export function OutboxRows({ outboxes }: { outboxes: readonly OutboxItem[] }) {
  const history = useHistory().data?.outboxes ?? {}
  return (
    <ScrollArea type="auto">
      <Table verticalSpacing={6} highlightOnHover miw={760}>
        <Table.Thead>
          <Table.Tr>
            {HEADS.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {outboxes.map((outbox) => (
            <Table.Tr key={outbox.name}>
              <Table.Td>
                <AnchorLink to="/outboxes/$name" params={{ name: outbox.name }}>
                  {outbox.name}
                </AnchorLink>
                {outbox.paused && ' (paused)'}
              </Table.Td>
              <Table.Td>{formatCount(waitingOf(outbox))}</Table.Td>
              <Table.Td>{formatCount(outbox.due)}</Table.Td>
              <Table.Td>
                <Duration ms={outbox.due === 0 ? null : outbox.oldestDueSeconds * 1_000} />
              </Table.Td>
              <Table.Td>{formatRate(outbox.perSecond)}</Table.Td>
              <Table.Td>
                <Sparkline
                  values={(history[outbox.name] ?? []).map(({ delivered }) => delivered)}
                  color="teal.6"
                  label={`What ${outbox.name} delivered in the last hour`}
                />
              </Table.Td>
              <Table.Td>{formatShare(outbox.failureRate)}</Table.Td>
              <Table.Td>{outbox.relays}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}
