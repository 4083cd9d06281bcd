import { Button, Code, Stack } from '@mantine/core'
import { IconAlertTriangle, IconLock, IconPlugConnectedX } from '@tabler/icons-react'
import { ApiProblem } from '../api/problem.ts'
import { Unreachable } from '../api/unreachable.ts'
import { CopyId } from './copy-id.tsx'
import { Notice } from './notice.tsx'

export interface ErrorStateProps {
  readonly error: unknown
  /** Asks again; without it there is nothing to press. */
  readonly onRetry?: () => void
}

/** What went wrong in the server's words, with the id of the request in the logs. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const problem = error instanceof ApiProblem ? error : undefined
  return (
    <div role="alert">
      <Notice
        icon={iconOf(error)}
        title={problem?.title ?? 'Request failed'}
        action={
          onRetry && (
            <Button variant="default" mt="xs" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        <Stack gap={4} align="center">
          <span>{error instanceof Error ? error.message : String(error)}</span>
          {problem && <Code>{problem.code}</Code>}
          {problem?.requestId !== undefined && (
            <span>
              Request <CopyId id={problem.requestId} what="request id" />
            </span>
          )}
        </Stack>
      </Notice>
    </div>
  )
}

function iconOf(error: unknown) {
  if (error instanceof Unreachable) return IconPlugConnectedX
  return error instanceof ApiProblem && error.status === 403 ? IconLock : IconAlertTriangle
}
