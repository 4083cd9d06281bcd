import type { Icon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { isOperator, type Role } from '../session/session.ts'

/** The headings of the navigation. */
export const GROUPS = ['Operate', 'Systems', 'Data', 'Development'] as const

export interface Page {
  /** The first word of its address. */
  readonly name: string
  readonly title: string
  readonly group: (typeof GROUPS)[number]
  readonly icon: Icon
  /** Typed after `g`, goes to it. */
  readonly key: string
  /** Others neither see it in the navigation nor get it at its address. */
  readonly readers: 'everyone' | 'admins' | 'operators' | 'platform'
  /** Hidden unless the server's settings list this: the system that brings the page, or a feature. */
  readonly needs?: string
  /** There is nothing behind it in production. */
  readonly where?: 'development'
  /** Tasks that begin on this page, under the words that people search for. */
  readonly actions?: readonly { readonly title: string; readonly to: string }[]
  /** Shown next to its name in the navigation. */
  readonly badge?: View
  /** Views that belong together: one entry of the navigation, and tabs on each of them. */
  readonly section?: Section
  /** Also shown in the portal, which other sites embed. */
  readonly inPortal?: boolean
  /** What is shown at `/<name>` and, by what follows there, below it: `''`, `'$id'`. */
  readonly views: Readonly<Record<string, View>>
}

export interface Section {
  readonly title: string
  readonly views: readonly SectionView[]
}

export interface SectionView {
  readonly to: string
  readonly title: string
}

/** The views of a page's section that are on pages of these; of a page without one, itself. */
export function viewsOf(page: Page, pages: readonly Page[]): readonly SectionView[] {
  const views = page.section?.views ?? [{ to: `/${page.name}`, title: page.title }]
  return views.filter(({ to }) => pages.some(({ name }) => name === to.split('/')[1]))
}

/** The entries of the navigation: a section once, at the first of its pages that the user may read. */
export function entriesOf(readable: readonly Page[]): readonly Page[] {
  return readable.filter((page) => viewsOf(page, readable)[0]?.to === `/${page.name}`)
}

/** Loaded when the user goes there: `() => import('./outboxes.tsx').then((file) => file.Outboxes)`. */
export type View = () => Promise<ComponentType>

export interface User {
  readonly role: Role
  readonly production: boolean
  /** Systems that run on this server, and features such as `retention`. */
  readonly has: readonly string[]
}

/** Whether this server has what the page shows. */
export function isThere({ needs }: Page, { has }: User): boolean {
  return needs === undefined || has.includes(needs)
}

export function mayRead(page: Page, user: User): boolean {
  const { readers, where } = page
  const { role, production } = user
  if (!isThere(page, user)) return false
  if (where === 'development' && production) return false
  if (readers === 'everyone') return true
  if (readers === 'admins') return role === 'admin' || isOperator(role)
  return readers === 'operators' ? isOperator(role) : role === 'platform'
}
