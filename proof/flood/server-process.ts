import { promises as dns } from 'node:dns'

/*
 * The server as it is, but for the name server that it asks: the flood's own. Of a process that is no
 * setting, and the machine's is not ours to change.
 */
const { nameServer } = JSON.parse(process.argv[2] ?? '{}') as { readonly nameServer: string }

class Resolver extends dns.Resolver {
  constructor(options?: ConstructorParameters<typeof dns.Resolver>[0]) {
    super(options)
    this.setServers([nameServer])
  }
}
Object.assign(dns, { Resolver })
await import('../kit/processes/server-process.ts')
