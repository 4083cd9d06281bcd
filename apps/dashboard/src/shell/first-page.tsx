import { Navigate } from '@tanstack/react-router'
import type { Page } from '../pages/page.ts'
import { mayRead } from '../pages/page.ts'
import { PageMissing } from './page-missing.tsx'
import { useVisitor } from './use-user.ts'

/** `/` leads to the first page that the visitor may read. */
export function FirstPage({ pages }: { pages: readonly Page[] }) {
  const visitor = useVisitor()
  const first = pages.find((page) => mayRead(page, visitor))
  return first === undefined ? <PageMissing /> : <Navigate to={`/${first.name}`} replace />
}
