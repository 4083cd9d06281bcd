import { Accordion, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { CodeNote } from '../../codes/code-note.tsx'
import { formatDuration } from '../../format/duration.ts'
import { type Attempt, codeOf } from './webhook.ts'
import { Json } from '../../parts/json.tsx'
import { QueryState } from '../../parts/query-state.tsx'

/** Each request of a delivery and its answer, newest first. */
export function Attempts({ deliveryId: id }: { deliveryId: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['webhooks', 'deliveries', 'attempts', id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/webhook-deliveries/{id}/attempts', {
          params: { path: { id }, query: { limit: 50 } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm" c="dimmed">
            No attempts: nothing was sent yet, or the retention period has passed.
          </Text>
        ) : (
          <Accordion key={items[0]?.id} variant="contained" defaultValue={items[0]?.id ?? null}>
            {items.map((attempt) => (
              <Accordion.Item key={attempt.id} value={attempt.id}>
                <Accordion.Control>
                  <Heading attempt={attempt} />
                </Accordion.Control>
                <Accordion.Panel>
                  <Exchange attempt={attempt} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )
      }
    </QueryState>
  )
}

function Heading({ attempt }: { attempt: Attempt }) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm">
        Attempt {attempt.attempt}: {outcomeOf(attempt)}
      </Text>
      <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {attempt.durationMs === null ? '' : `${formatDuration(attempt.durationMs)} · `}
        {/* Inside a button nothing else can be pressed. */}
        <time dateTime={attempt.startedAt}>{new Date(attempt.startedAt).toLocaleTimeString()}</time>
      </Text>
    </Group>
  )
}

function outcomeOf({ underWay, response, errorClass }: Attempt): string {
  if (underWay) return 'no answer yet'
  if (response !== null) return `answered ${response.status}`
  return `no answer (${errorClass ?? 'unknown'})`
}

function Exchange({ attempt: { request, response, error, errorClass } }: { attempt: Attempt }) {
  return (
    <Stack gap="sm">
      {errorClass !== null && <CodeNote code={codeOf(errorClass)} />}
      {error !== null && response === null && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {error}
        </Text>
      )}
      {response !== null && (
        <>
          <Text size="sm" fw={600}>
            Answer
          </Text>
          <AnswerBody response={response} />
          <Json value={response.headers} label="answer headers" />
        </>
      )}
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {request.method} {request.url ?? ''}
      </Text>
      <Json value={{ headers: request.headers, body: request.body }} label="request" />
    </Stack>
  )
}

/** The body of an answer: only ever text. */
function AnswerBody({ response }: { response: NonNullable<Attempt['response']> }) {
  const { body, encoding, truncated } = response
  if (body === '') {
    return (
      <Text size="sm" c="dimmed">
        No body.
      </Text>
    )
  }
  return (
    <div>
      <Code
        block
        mah={240}
        tabIndex={0}
        role="region"
        aria-label="answer body"
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {body}
      </Code>
      {(truncated || encoding !== 'utf8') && (
        <Text size="xs" c="dimmed">
          {encoding !== 'utf8' && `Shown as ${encoding}: it is not text. `}
          {truncated && 'Truncated.'}
        </Text>
      )}
    </div>
  )
}
