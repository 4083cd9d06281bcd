import { BROKER_NAMES } from './brokers/broker-catalogue.ts'
import type { Configuration } from './configuration/configuration.ts'
import { isBuilt } from './web/dashboard.ts'
import { hasSite } from './web/site.ts'
import type { Server } from './server.ts'

interface Welcome {
  readonly configuration: Pick<Configuration, 'roles' | 'production'> &
    Partial<Pick<Configuration, 'dashboardFolder'>>
  readonly server: Server
  readonly token: string | undefined
}

/** What `npm start` says once everything runs: where it is, how to get in, a first thing to try. */
export function welcome({ configuration, server, token }: Welcome): string {
  const { url, database, brokers, migrated } = server
  const lines = [
    `Posthorn is ready${url === undefined ? '' : `: ${url}`}`,
    '',
    `  roles       ${[...configuration.roles].join(', ')}`,
    `  database    ${database}${migrated > 0 ? `, ${migrated} migrations applied` : ''}`,
    `  brokers     ${BROKER_NAMES.map((name) => `${name} → ${brokers[name]}`).join(', ')}`,
  ]
  if (url !== undefined && configuration.roles.has('api')) {
    if (hasSite()) lines.push(`  docs        ${url}/docs`)
    lines.push(`  reference   ${url}/docs/api`)
    if (isBuilt(configuration.dashboardFolder)) lines.push(...dashboardLines(url, token))
    if (token !== undefined)
      lines.push('', '  token       (operator of everything, in "demo", for 12 hours)', token)
    if (!configuration.production && server.firstRequest) {
      lines.push('', ...firstThing(url, { token, request: server.firstRequest }))
    }
  }
  return `${lines.join('\n')}\n\nCtrl-C ends it.\n`
}

/** Behind the # it is never sent to a server, and the page takes it out of the address at once. */
function dashboardLines(url: string, token: string | undefined): string[] {
  if (token === undefined) return [`  dashboard   ${url}/`]
  return ['', '  dashboard   (the link logs you in)', `${url}/#token=${token}`]
}

interface FirstThing {
  readonly token: string | undefined
  readonly request: NonNullable<Server['firstRequest']>
}

function firstThing(url: string, { token, request }: FirstThing): string[] {
  // Whole, so that this line alone can be copied: the secret may be known to the server only.
  const given = token === undefined ? '' : ` --token ${token}`
  return [
    'Try:',
    `  TOKEN=${token ?? '…a token of yours…'}`,
    `  curl ${url}${request.path} -H "authorization: Bearer $TOKEN" \\`,
    `       -H 'content-type: application/json' \\`,
    `       -d '${JSON.stringify(request.json)}'`,
    `  curl ${url}${request.path} -H "authorization: Bearer $TOKEN"`,
    `or a story through all of it: npx posthorn demo --url ${url}${given}`,
  ]
}
