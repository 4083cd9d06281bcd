import type { Line } from './lines.ts'
import type { Replication } from './postgres-cluster.ts'

/** Of a cluster on the loopback that lives for minutes. */
export const PASSWORD = 'failover'

export interface PatroniSettings {
  readonly name: string
  readonly data: string
  readonly binaries: string
  readonly replication: Replication
  readonly ports: { readonly postgres: number; readonly rest: number }
  readonly lines: {
    readonly peers: Line
    readonly rest: Line
    readonly etcd: Line
  }
}

/**
 * The least waits that Patroni takes. A primary that is lost is missed after `ttl` seconds; one that is
 * cut off from etcd has given up before.
 */
export function patroniConfig({ name, data, binaries, ports, lines, ...rest }: PatroniSettings) {
  const login = (user: string) => `{ username: ${user}, password: ${PASSWORD} }`
  return `scope: failover
name: ${name}
restapi:
  listen: 127.0.0.1:${ports.rest}
  connect_address: 127.0.0.1:${lines.rest.port}
etcd3:
  hosts: [127.0.0.1:${lines.etcd.port}]
  # Not what etcd says of itself: that would lead past the line.
  use_proxies: true
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 4
    maximum_lag_on_failover: 1073741824
    synchronous_mode: ${rest.replication === 'synchronous'}
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 200
        wal_keep_size: 512MB
        max_wal_size: 2GB
        # Only processes are killed, never the machine: what the kernel has taken is not lost.
        fsync: 'off'
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - data-checksums
postgresql:
  listen: 127.0.0.1:${ports.postgres}
  connect_address: 127.0.0.1:${lines.peers.port}
  data_dir: ${data}
  bin_dir: ${binaries}
  authentication:
    superuser: ${login('postgres')}
    replication: ${login('replicator')}
    rewind: ${login('rewinder')}
  parameters:
    unix_socket_directories: ''
  pg_hba:
    - host all all 127.0.0.1/32 md5
    - host replication all 127.0.0.1/32 md5
`
}
