import { Alert, List, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { dataOf, Money, QueryState, useApi } from '@posthorn/dashboard/kit'
import { FORMAT_WORDS } from '../runs/run.ts'
import type { Rules } from './rules.ts'
import { StatementTable } from './statements.tsx'

/** The server reads no more of a file for a preview. */
const PREVIEW_BYTES = 64 * 1_024

/** The first bytes of a file in base64. */
async function beginningOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

interface StatementPreviewProps {
  readonly file: File
  /** How it is read: by a saved profile or by rules. */
  readonly by: { readonly profile: string } | { readonly rules: Rules }
}

/** The first 20 rows of a file as they would be read; nothing is stored. */
export function StatementPreview({ file, by }: StatementPreviewProps) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['reconciliation-preview', file.name, file.size, file.lastModified, by],
    queryFn: async ({ signal }) => {
      const content = await beginningOf(file)
      return dataOf(
        api.POST('/api/v1/reconciliation-profiles/preview', { body: { ...by, content }, signal }),
      )
    },
    retry: false,
  })
  return (
    <QueryState query={query}>
      {({ format, rows, errors, statements }) => (
        <>
          <Text size="sm" mb="xs">
            Read as {FORMAT_WORDS[format]}.
          </Text>
          {statements.length > 0 && <StatementTable statements={statements} />}
          {errors.length > 0 && (
            <Alert color="red" title="The file cannot be read this way" mb="xs">
              <List size="sm">
                {errors.map(({ field, reason }) => (
                  <List.Item key={`${field} ${reason}`}>
                    {field} {reason}
                  </List.Item>
                ))}
              </List>
              <Text size="sm" mt={4}>
                Choose the profile of your bank, or make one for this file.
              </Text>
            </Alert>
          )}
          {rows.length > 0 && (
            <Table.ScrollContainer minWidth={480} mah={320}>
              <Table striped withTableBorder aria-label={`First rows of ${file.name}`}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{format === 'camt.053' ? 'No.' : 'Line'}</Table.Th>
                    <Table.Th>Transaction id</Table.Th>
                    <Table.Th ta="right">Amount</Table.Th>
                    <Table.Th>Date</Table.Th>
                    {rows.some(isWrong) && <Table.Th>Problem</Table.Th>}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {rows.map(({ line, record, values, errors: wrong }) => (
                    <Table.Tr key={line}>
                      <Table.Td>{line}</Table.Td>
                      <Table.Td style={{ overflowWrap: 'anywhere' }}>
                        {record?.externalTransactionId ?? values.join(' · ')}
                      </Table.Td>
                      <Table.Td ta="right">
                        {record && <Money minor={record.amount} currency={record.currency} />}
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>{record?.date}</Table.Td>
                      {rows.some(isWrong) && (
                        <Table.Td c="var(--mantine-color-error)">
                          {wrong.map(({ field, reason }) => `${field} ${reason}`).join('; ')}
                        </Table.Td>
                      )}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )}
        </>
      )}
    </QueryState>
  )
}

function isWrong({ errors }: { readonly errors: readonly unknown[] }): boolean {
  return errors.length > 0
}
