import { Text } from '@mantine/core'
import { CodeNote, textBeside } from '../../codes/code-note.tsx'
import { ProviderNote } from '../../codes/provider-note.tsx'

interface FailureNoteProps {
  readonly outbox: string
  readonly code: string | null
  readonly error: string | null
}

/** Why a message failed and what to do: a provider's codes are explained where it is known. */
export function FailureNote({ outbox, code, error }: FailureNoteProps) {
  if (code !== null && outbox === 'messages.outbound') {
    return <ProviderNote code={code} message={error} />
  }
  const more = textBeside(code, error)
  return (
    <div>
      {code !== null && <CodeNote code={code} />}
      {more !== null && (
        <Text size="sm" c="dimmed" lineClamp={6} style={{ overflowWrap: 'anywhere' }}>
          {more}
        </Text>
      )}
    </div>
  )
}
