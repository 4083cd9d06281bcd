import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { PendingCount } from '../pages/approvals/pending-count.tsx'
import type { Page, PageGroup } from '../pages/page.ts'
import classes from './navigation.module.css'

const GROUPS: readonly PageGroup[] = ['Operate', 'Systems', 'Development']

interface NavigationProps {
  readonly pages: readonly Page[]
  /** The user chose a page. */
  readonly onGo: () => void
}

export function Navigation({ pages, onGo }: NavigationProps) {
  const list = useRef<HTMLDivElement>(null)
  const { pathname } = useLocation()
  const current = pathname.split('/')[1] ?? ''
  // More pages than a small window has room for: where one is must be among those in sight.
  useEffect(() => {
    const link = list.current?.querySelector(`[data-page="${CSS.escape(current)}"]`)
    link?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <div ref={list}>
      {GROUPS.map((group) => {
        const own = pages.filter((page) => page.group === group)
        if (own.length === 0) return null
        return (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`} className={classes['group']}>
              {group}
            </h2>
            <ul className={classes['list']}>
              {own.map(({ name, title, icon: Picture }) => (
                <li key={name}>
                  <Link to={`/${name}`} data-page={name} className={classes['link']} onClick={onGo}>
                    <Picture size={16} stroke={1.6} aria-hidden />
                    {title}
                    {name === 'approvals' && <PendingCount />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
