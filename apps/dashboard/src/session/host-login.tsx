import { Center } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorState, Loading } from '../parts/query-state.tsx'
import { holderOf } from './provider-login.tsx'
import { useSessionKeeper } from './session-context.tsx'

/** In place of a token: the application around the dashboard says with each request who asks. */
const BY_HOST = 'host'

/** Asks who the user is; the application has logged them in already. */
export function HostLogin() {
  const keeper = useSessionKeeper()
  const { error, refetch } = useQuery({
    queryKey: ['host-login'],
    queryFn: async () => keeper.logIn(BY_HOST, await holderOf(BY_HOST)),
    gcTime: 0,
    retry: false,
  })
  return (
    <Center mih="100dvh" component="main">
      {error === null ? <Loading /> : <ErrorState error={error} onRetry={() => void refetch()} />}
    </Center>
  )
}
