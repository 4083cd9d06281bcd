import type { App } from '@posthorn/http'
import { Type } from 'typebox'

const schema = {
  summary: 'Where the link of an invitation leads, unless you have a page of your own',
  tags: ['families'],
  querystring: Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) }),
}

/** Says how to accept and decline: a page cannot do it for people, since it does not know who they are. */
export function invitationPage(app: App): void {
  app.get('/invitations', { schema, config: { access: 'public' } }, async (request, reply) => {
    // Neither caches nor the next page's Referer may learn the token.
    return reply
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .type('text/html')
      .send(pageFor(request.query.token ?? ''))
  })
}

function pageFor(token: string): string {
  const input = `(input: { token: "${token}" })`
  const acceptance = `mutation { acceptInvitation${input} { family { name } errors { code message } } }`
  const refusal = `mutation { declineInvitation${input} { errors { code message } } }`
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>You are invited</title>
    <style>body { font: 1rem/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem } pre { overflow-x: auto; padding: 1rem; border: 1px solid }</style>
  </head>
  <body>
    <h1>You are invited to a family</h1>
    <p>Sign in, and accept with this request to <code>/graphql</code>:</p>
    <pre>${escapeHtml(acceptance)}</pre>
    <p>Or decline:</p>
    <pre>${escapeHtml(refusal)}</pre>
    <p>An application of your own puts its page here by FAMILIES_INVITATION_URL.</p>
  </body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
