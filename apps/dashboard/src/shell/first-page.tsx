import { Navigate } from '@tanstack/react-router'
import { mayRead, type Page } from '../pages/page.ts'
import { PageMissing } from './page-missing.tsx'
import { useUser } from './use-user.ts'

/** `/` leads to the first page that the user may read. */
export function FirstPage({ pages }: { pages: readonly Page[] }) {
  const user = useUser()
  const first = pages.find((page) => mayRead(page, user))
  return first === undefined ? <PageMissing /> : <Navigate to={`/${first.name}`} replace />
}
