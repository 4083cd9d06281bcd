import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Paper,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createApi, dataOf } from '../api/client.tsx'
import { Form } from '../parts/act/form.tsx'
import { ErrorState, Loading } from '../parts/layout/notice.tsx'
import { basePath, useSettings } from '../settings/settings.tsx'
import { Brand } from '../shell/brand.tsx'
import type { Claims } from './session.ts'
import classes from './login.module.css'
import { beginLogin, finishLogin, hostOf, isReturn, type OidcSettings } from './oidc.ts'
import { useSessionKeeper, useSessionState } from './session-context.tsx'

const WHY = {
  'not begun': undefined,
  expired: 'Your token has expired. Log in again to continue here.',
  'logged out': 'You are logged out.',
  'bad link': 'The token of this link is invalid or expired. Ask for a new link, or log in here.',
} as const

/** The login: by token, or by an OpenID provider. */
export function Login() {
  useDocumentTitle('Log in · Posthorn')
  const { ended } = useSessionState()
  const { oidc, login } = useSettings()
  if (login === 'host') return <HostLogin />
  return (
    <main className={classes['login']}>
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Stack>
          <Brand />
          <Title order={1}>Log in</Title>
          {WHY[ended] !== undefined && (
            <Alert color="gray" role="status">
              {WHY[ended]}
            </Alert>
          )}
          {oidc === null ? <TokenLogin /> : <ProviderLogin oidc={oidc} />}
        </Stack>
      </Paper>
    </main>
  )
}

function TokenLogin() {
  const keeper = useSessionKeeper()
  const { production } = useSettings()
  const [token, setToken] = useState('')
  const [mistake, setMistake] = useState<string>()
  const submit = () => {
    if (!keeper.logIn(token)) setMistake('Token invalid or expired.')
  }
  return (
    <Form onSubmit={submit}>
      <Stack>
        <Textarea
          label="Token"
          description="Kept in this tab only, until you close it."
          placeholder="eyJ…"
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
          error={mistake}
          rows={4}
          spellCheck={false}
          autoComplete="off"
          // The one thing to do here.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          required
          classNames={{ input: classes['token'] ?? '' }}
        />
        <Button type="submit" size="sm">
          Log in
        </Button>
        <Text size="sm" c="dimmed">
          {production ? (
            <>The operator of this server issues one.</>
          ) : (
            <>
              <Code>npm start</Code> prints one and a login link; <Code>npx posthorn token</Code>{' '}
              creates another. The API is described in its <Anchor href="/docs">reference</Anchor>.
            </>
          )}
        </Text>
      </Stack>
    </Form>
  )
}

/** In place of a token: the application around the dashboard says with each request who asks. */
const BY_HOST = 'host'

/** Asks who the user is; the application has logged them in already. */
function HostLogin() {
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

/** Sends users to the OpenID provider; they return to the address they wanted. */
function ProviderLogin({ oidc }: { oidc: OidcSettings }) {
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
        You return to this page.
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
      if (keeper.logIn(token, await holderOf(token))) return true
      throw new Error('The provider’s token has already expired.')
    },
  })
}

/** Who the server takes the holder for: the token may say it in the provider's own words. */
async function holderOf(token: string): Promise<Claims> {
  const api = createApi({
    baseUrl: basePath() || '/',
    token: () => token,
    onExpired: () => undefined,
  })
  const { sub, org, role, expiresAt } = await dataOf(api.GET('/api/v1/me'))
  return { sub, org, role, expiresAt: Date.parse(expiresAt) }
}
