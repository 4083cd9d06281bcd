import { Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'

const VIEWS = [
  { to: '/outbound', title: 'Messages' },
  { to: '/outbound/templates', title: 'Templates' },
  { to: '/outbound/accounts', title: 'Accounts' },
] as const

interface OutboundFrameProps {
  readonly lead: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The views of outbound messages, and the way between them. */
export function OutboundFrame({ lead, actions, children }: OutboundFrameProps) {
  const { pathname } = useLocation()
  const here = pathname.replace(/\/$/, '')
  return (
    <PageFrame title="Outbound messages" lead={lead} {...(actions !== undefined && { actions })}>
      <Group gap={6} component="nav" aria-label="Outbound messages">
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
