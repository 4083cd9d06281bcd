import { IconLock, IconMapOff, IconTool } from '@tabler/icons-react'
import { type ErrorComponentProps, Navigate, Outlet, useRouter } from '@tanstack/react-router'
import { LiveProvider } from '../live/live-context.tsx'
import { isThere, mayRead, type Page } from '../pages/page.ts'
import { ButtonLink } from '../parts/layout/page-frame.tsx'
import { ErrorState, Notice } from '../parts/layout/notice.tsx'
import { Login } from '../session/login.tsx'
import { isOperator } from '../session/session.ts'
import { useSessionState } from '../session/session-context.tsx'
import { Shell } from './shell.tsx'
import { useUser } from '../settings/settings.tsx'

const READERS = {
  everyone: 'everyone',
  admins: 'admins',
  operators: 'operators',
  platform: 'operators of the platform',
}

/** The server refuses in any case; this says so in words, before anything is asked. */
export function PageGate({ page }: { page: Page }) {
  const user = useUser()
  if (mayRead(page, user)) return <Outlet />
  if (page.where === 'development' && user.production) {
    return (
      <Notice icon={IconTool} title={`${page.title} are for development`}>
        This server runs in production, where nothing is simulated.
      </Notice>
    )
  }
  if (!isThere(page, user)) return <PageMissing />
  return (
    <Notice icon={IconLock} title={`${page.title} is for ${READERS[page.readers]}`}>
      Your token has the role {user.role}. Log in as one of them to see this page.
    </Notice>
  )
}

export function PageMissing() {
  return (
    <Notice
      icon={IconMapOff}
      title="Not found"
      action={
        <ButtonLink to="/" variant="default" mt="xs">
          Go to the start page
        </ButtonLink>
      }
    />
  )
}

/** A page that broke; the navigation still works. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const onRetry = () => {
    reset()
    void router.invalidate()
  }
  return <ErrorState error={error} onRetry={onRetry} />
}

/** `/` leads operators to their first page, and others to that of the first system. */
export function FirstPage({ pages }: { pages: readonly Page[] }) {
  const user = useUser()
  const readable = pages.filter((page) => mayRead(page, user))
  const first = isOperator(user.role)
    ? readable[0]
    : (readable.find(({ group }) => group === 'Systems') ?? readable[0])
  return first === undefined ? <PageMissing /> : <Navigate to={`/${first.name}`} replace />
}

/** The address stays while the user logs in, and is shown afterwards. */
export function AuthGate({ pages }: { pages: readonly Page[] }) {
  const { session } = useSessionState()
  if (session === undefined) return <Login />
  return (
    <LiveProvider>
      <Shell pages={pages} />
    </LiveProvider>
  )
}
