import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Json } from '../../parts/json.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'

/** One message that a consumer set aside: why, and what is in it. */
export function SetAsideDetails({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['consumers', 'one', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/consumers/dead-letters/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <QueryState query={query}>
      {(letter) => (
        <Stack gap="sm">
          {letter.error !== null && <Text>{letter.error}</Text>}
          {letter.code !== null && <CodeNote code={letter.code} />}
          <KeyValue
            facts={{
              Group: letter.group,
              Topic: letter.topic,
              Message: <CopyId id={letter.messageId} />,
              Type: letter.type ?? undefined,
              Key: letter.key ?? undefined,
              Organisation: letter.tenant ?? undefined,
              Attempts: String(letter.attempts),
              'Read at':
                letter.partition === null ? undefined : `${letter.partition}/${letter.offset}`,
              'Set aside': <Time at={letter.setAsideAt} />,
              Died: letter.diedAt === null ? undefined : <Time at={letter.diedAt} />,
              'Next attempt':
                letter.status === 'retry' ? <Time at={letter.dueAt} ahead /> : undefined,
            }}
          />
          <Json label="Payload" value={letter.body ?? letter.payload} />
          <Json label="Headers" value={letter.headers} />
        </Stack>
      )}
    </QueryState>
  )
}
