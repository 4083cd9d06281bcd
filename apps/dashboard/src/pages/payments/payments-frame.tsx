import { Group } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../parts/links.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'

const VIEWS = [
  { to: '/payments', title: 'Payments' },
  { to: '/payments/events', title: 'Gateway events' },
] as const

interface PaymentsFrameProps {
  readonly lead: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The views of payments, and the way between them. */
export function PaymentsFrame({ lead, actions, children }: PaymentsFrameProps) {
  const { pathname } = useLocation()
  const here = pathname.replace(/\/$/, '')
  return (
    <PageFrame title="Payments" lead={lead} {...(actions !== undefined && { actions })}>
      <Group gap={6} component="nav" aria-label="Payments">
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
