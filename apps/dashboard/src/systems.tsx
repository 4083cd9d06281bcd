import { type ComponentType, createContext, createElement, lazy, Suspense, useContext } from 'react'
import type { Meaning } from './codes/meaning.ts'
import { GROUPS, isThere, type Page, type View } from './pages/page.ts'
import { useUser } from './settings/settings.tsx'

/** What a system adds to the dashboard: `web` in `web/index.ts` of its folder. */
export interface Web {
  readonly pages: readonly SystemPage[]
  /** What its outboxes can say about their messages, by the outbox's name. */
  readonly outboxes?: Readonly<Record<string, OutboxWeb>>
  /** The page of the thing that an alert or an incident is about. */
  readonly alertPage?: (alert: AlertAbout) => string | undefined
  /** Things that a legal hold can be placed on: `{ robot: 'A robot' }`. */
  readonly holds?: Readonly<Record<string, string>>
  /** Forms on the pages of its simulators, by the simulator's name. */
  readonly simulators?: Readonly<Record<string, { readonly title: string; readonly form: View }>>
  /** Pages that other systems link to by a name that both know: `useLink('delivery', id)`. */
  readonly links?: Readonly<Record<string, (id: string) => string>>
}

/** A page of a system: shown where that system runs. */
export type SystemPage = Omit<Page, 'group' | 'needs'>

interface OutboxWeb {
  /** What a code of its destination means. */
  readonly explain?: (code: string) => Meaning | undefined
  /** Another page about the same message. */
  readonly page?: { readonly title: string; readonly to: (id: string) => string }
}

interface AlertAbout {
  readonly source: string
  readonly code: string
  /** Undefined for an incident, which has many. */
  readonly subject?: string
}

/** What a build of the dashboard contains. */
export interface Contents {
  readonly pages: readonly Page[]
  readonly webs: readonly Web[]
  /** Customers read it inside another site: codes and advice for operators are left out. */
  readonly isPortal?: boolean
}

/** The operators' pages and those of systems, in the order of the navigation. */
export function pagesWith(
  own: readonly Page[],
  webs: readonly { readonly system: string; readonly web: Web }[],
): readonly Page[] {
  const added = webs.flatMap(({ system, web }) =>
    web.pages.map((page): Page => ({ ...page, group: 'Systems', needs: system })),
  )
  return GROUPS.flatMap((group) => [...added, ...own].filter((page) => page.group === group))
}

export const ContentsContext = createContext<Contents>({ pages: [], webs: [] })

export function useContents(): Contents {
  return useContext(ContentsContext)
}

/** A part of a page that is loaded when it is shown. */
export function Lazy({ view }: { view: View }) {
  return <Suspense>{createElement(lazyPart(view))}</Suspense>
}

const parts = new WeakMap<View, ComponentType>()

function lazyPart(view: View): ComponentType {
  const known = parts.get(view) ?? lazy(async () => ({ default: await view() }))
  parts.set(view, known)
  return known
}

/** The first answer that a system has. */
export function firstOf<Answer>(
  webs: readonly Web[],
  ask: (web: Web) => Answer | undefined,
): Answer | undefined {
  return webs.map(ask).find((answer) => answer !== undefined)
}

/** The page that a system registered under this name; undefined where that system does not run. */
export function useLink(name: string, id = ''): string | undefined {
  const { pages, webs } = useContents()
  const user = useUser()
  const to = firstOf(webs, ({ links }) => links?.[name]?.(id))
  const page = pages.find((each) => each.name === to?.split(/[/?]/)[1])
  return page !== undefined && isThere(page, user) ? to : undefined
}
