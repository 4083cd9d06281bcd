import { Alert, Anchor, Button, Code, Paper, Stack, Text, Textarea, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useState, type SubmitEvent } from 'react'
import { useSettings } from '../settings/settings-context.tsx'
import { Brand } from '../shell/brand.tsx'
import classes from './login.module.css'
import { ProviderLogin } from './provider-login.tsx'
import { useSessionKeeper, useSessionState } from './session-context.tsx'

const WHY = {
  'not begun': undefined,
  expired: 'Your token has run out. Log in again and you are back where you were.',
  'logged out': 'You are logged out. The token is forgotten.',
} as const

/** The door: by token, or by whoever logs people in here. */
export function Login() {
  useDocumentTitle('Log in · Posthorn')
  const { ended } = useSessionState()
  const { oidc } = useSettings()
  return (
    <main className={classes['door']}>
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!keeper.logIn(token)) setMistake('This is no token, or it has run out.')
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
          label="Token"
          description="It stays in this tab and is gone when you close it."
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
            <>Whoever runs this server gives you one.</>
          ) : (
            <>
              <Code>npm start</Code> prints one, and a link that logs you in at once;{' '}
              <Code>npx posthorn token</Code> makes another. The API is described in its{' '}
              <Anchor href="/docs">reference</Anchor>.
            </>
          )}
        </Text>
      </Stack>
    </form>
  )
}
