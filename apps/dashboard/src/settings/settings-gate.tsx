import { Center } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from '../parts/error-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { SettingsProvider } from './settings-context.tsx'
import { readSettings } from './settings.ts'

/** Nothing is shown before it is known how people log in here. */
export function SettingsGate({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: readSettings,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  if (data !== undefined) return <SettingsProvider settings={data}>{children}</SettingsProvider>
  return (
    <Center mih="100dvh" component="main">
      {error === null ? <Loading /> : <ErrorState error={error} onRetry={() => void refetch()} />}
    </Center>
  )
}
