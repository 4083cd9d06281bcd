import { Button, Center, Code, Loader, Stack, Text } from '@mantine/core'
import {
  type Icon,
  IconAlertTriangle,
  IconFilterOff,
  IconInbox,
  IconLock,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiProblem, Unreachable } from '../../api/problem.ts'
import { CopyId } from '../show/facts.tsx'

interface NoticeProps {
  readonly icon: Icon
  readonly title: string
  readonly children?: ReactNode
  /** What to do about it. */
  readonly action?: ReactNode
}

/** In the place of what is not there: why, and what to do next. */
export function Notice({ icon: Picture, title, children, action }: NoticeProps) {
  return (
    <Stack align="center" gap={6} p="xl" ta="center" maw={520} mx="auto">
      <Picture size={28} stroke={1.5} color="var(--mantine-color-dimmed)" aria-hidden />
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}

/** There is nothing yet: says what will be here and how it comes. */
export function Empty({ icon = IconInbox, ...rest }: Partial<NoticeProps> & { title: string }) {
  return <Notice icon={icon} {...rest} />
}

/** There is something, but not for this filter. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Notice
      icon={IconFilterOff}
      title="Nothing matches the filter"
      action={
        <Button variant="default" mt="xs" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  )
}

interface QueryStateProps<Data> {
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}

/** What was asked for, or why it is not there. Older data stays while it is asked for again. */
export function QueryState<Data>({ query, children }: QueryStateProps<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error === null) return <Loading />
  return <ErrorState error={error} onRetry={() => void refetch()} />
}

/** Something is on its way. */
export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <Center p="xl" role="status" aria-label={label}>
      <Loader size="sm" type="dots" />
    </Center>
  )
}

interface ErrorStateProps {
  readonly error: unknown
  /** Asks again; without it there is nothing to press. */
  readonly onRetry?: () => void
}

/** What went wrong in the server's words, with the id of the request in the logs. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const problem = error instanceof ApiProblem ? error : undefined
  // Asked again as it is, it is refused again.
  const isRefused = problem?.status === 400
  return (
    <div role="alert">
      <Notice
        icon={iconOf(error)}
        title={problem?.title ?? 'Request failed'}
        action={
          onRetry &&
          !isRefused && (
            <Button variant="default" mt="xs" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        <Stack gap={4} align="center">
          <span>{error instanceof Error ? error.message : String(error)}</span>
          {isRefused && <span>The link may be incomplete or mistyped.</span>}
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
