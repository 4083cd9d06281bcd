import { Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'

const VIEWS = [
  { to: '/retention', title: 'Kept data' },
  { to: '/retention/holds', title: 'Legal holds' },
  { to: '/retention/erasures', title: 'Erasures' },
] as const

interface RetentionFrameProps {
  readonly lead: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The views of retention, and the way between them. */
export function RetentionFrame({ lead, actions, children }: RetentionFrameProps) {
  const { pathname } = useLocation()
  const here = pathname.replace(/\/$/, '')
  return (
    <PageFrame title="Data retention" lead={lead} {...(actions !== undefined && { actions })}>
      <Group gap={6} component="nav" aria-label="Data retention">
        {VIEWS.map(({ to, title }) => (
          <ButtonLink
            key={to}
            to={to}
            variant={to === here ? 'filled' : 'default'}
            {...(to === here && { 'aria-current': 'page' })}
          >
            {title}
          </ButtonLink>
        ))}
      </Group>
      {children}
    </PageFrame>
  )
}
