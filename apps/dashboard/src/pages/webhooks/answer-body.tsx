import { Code, Text } from '@mantine/core'
import type { Attempt } from './webhook.ts'

/** The body of an answer: only ever text. */
export function AnswerBody({ response }: { response: NonNullable<Attempt['response']> }) {
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
