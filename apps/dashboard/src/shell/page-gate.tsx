import { IconLock, IconTool } from '@tabler/icons-react'
import { Outlet } from '@tanstack/react-router'
import { mayRead, type Page } from '../pages/page.ts'
import { Notice } from '../parts/notice.tsx'
import { useUser } from './use-user.ts'

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
  return (
    <Notice icon={IconLock} title={`${page.title} is for operators`}>
      Your token has the member role. Log in as an operator to see this page.
    </Notice>
  )
}
