import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ErrorState } from '../parts/error-state.tsx'
import { Loading } from '../parts/loading.tsx'
import type { OidcSettings } from './oidc.ts'
import { beginLogin, finishLogin, hostOf, isReturn } from './oidc.ts'
import { useSessionKeeper } from './session-context.tsx'

/** Sends people to whoever logs them in; they come back to the address they wanted. */
export function ProviderLogin({ oidc }: { oidc: OidcSettings }) {
  const begin = useMutation({ mutationFn: () => beginLogin(oidc) })
  const back = useProviderReturn(oidc)
  if (back.isLoading) return <Loading label="Logging in" />
  const error = begin.error ?? back.error
  return (
    <Stack>
      {error !== null && <ErrorState error={error} />}
      <Button size="sm" loading={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        Log in at {hostOf(oidc)}
      </Button>
      <Text size="sm" c="dimmed">
        You come back to this page.
      </Text>
    </Stack>
  )
}

function useProviderReturn(oidc: OidcSettings) {
  const keeper = useSessionKeeper()
  const navigate = useNavigate()
  return useQuery({
    queryKey: ['provider-return'],
    enabled: isReturn(location.search),
    // The code works once: asked again, the provider would refuse.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { token, place } = await finishLogin(oidc)
      await navigate({ href: place, replace: true })
      if (keeper.logIn(token)) return true
      throw new Error(
        'The provider’s token says no organisation and role that Posthorn knows: it needs the ' +
          'claims sub, org, role and exp.',
      )
    },
  })
}
