import { Button, Modal, Table, Text } from '@mantine/core'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { useAction } from '../../parts/use-action.ts'
import { REASON_LOOKS, REASONS } from './reason.ts'
import type { Run } from './run.ts'

/** Dry run result, without storing anything. */
export function DryRun({ run }: { run: Run }) {
  const api = useApi()
  const rehearse = useAction({
    run: () =>
      dataOf(
        api.POST('/api/v1/reconciliations/{id}/run', {
          params: { path: { id: run.id } },
          body: { dryRun: true },
        }),
      ),
    done: () => 'Dry run done; nothing was stored.',
    changes: [],
  })
  const found = rehearse.data
  return (
    <>
      <Button
        variant="default"
        loading={rehearse.isPending}
        onClick={() => rehearse.mutate(undefined)}
      >
        Dry run
      </Button>
      <Modal opened={found !== undefined} onClose={rehearse.reset} title="Dry run result">
        {found && (
          <>
            <Text size="sm" mb="sm">
              It would match {formatCount(found.matched)} of {formatCount(found.total)} records (
              {found.matchRate}%). Nothing was stored.
            </Text>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Reason</Table.Th>
                  <Table.Th ta="right">Now</Table.Th>
                  <Table.Th ta="right">After a run</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {REASONS.map((reason) => {
                  const [now, then] = [run.reasons[reason] ?? 0, found.reasons[reason] ?? 0]
                  if (now === 0 && then === 0) return null
                  return (
                    <Table.Tr key={reason}>
                      <Table.Td>{REASON_LOOKS[reason].word}</Table.Td>
                      <Table.Td ta="right">{formatCount(now)}</Table.Td>
                      <Table.Td ta="right" fw={now === then ? 400 : 700}>
                        {formatCount(then)}
                      </Table.Td>
                    </Table.Tr>
                  )
                })}
              </Table.Tbody>
            </Table>
          </>
        )}
      </Modal>
    </>
  )
}
