import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLocation } from '@tanstack/react-router'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'

const VIEWS = [
  { to: '/webhooks', title: 'Endpoints' },
  { to: '/webhooks/deliveries', title: 'Deliveries' },
  { to: '/webhooks/runs', title: 'Retry runs' },
] as const

interface WebhooksFrameProps {
  readonly lead: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The three views of webhooks, and the way between them. */
export function WebhooksFrame({ lead, actions, children }: WebhooksFrameProps) {
  const { pathname } = useLocation()
  const here = pathname.replace(/\/$/, '')
  return (
    <PageFrame title="Webhooks" lead={lead} {...(actions !== undefined && { actions })}>
      <Group gap={6} component="nav" aria-label="Webhooks">
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
