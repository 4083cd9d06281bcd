import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './process.mjs'

/** Where `makeCertificates` puts what it makes. */
export function certificatesIn(folder) {
  return join(folder, 'certificates')
}

/**
 * Makes, once for a folder, an authority (`ca.pem`), and signed by it a server on this machine and a
 * client (`server.pem`, `client.pem`, their keys `…-key.pem`; `server-both.pem` has key and
 * certificate, as Kafka wants them).
 */
export async function makeCertificates(folder) {
  const made = certificatesIn(folder)
  if (existsSync(made)) return made
  await mkdir(folder, { recursive: true })
  const draft = await mkdtemp(`${made}.draft-`)
  try {
    const ca = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem']
    const isNoAuthority = ['-addext', 'basicConstraints=critical,CA:FALSE']
    const here = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
    await certify(draft, 'ca', { subject: '/CN=Posthorn test authority' })
    const server = [...ca, ...isNoAuthority, ...here]
    await certify(draft, 'server', { subject: '/CN=localhost', options: server })
    await certify(draft, 'client', { subject: '/CN=posthorn', options: [...ca, ...isNoAuthority] })
    const parts = ['server-key.pem', 'server.pem'].map((name) =>
      readFile(join(draft, name), 'utf8'),
    )
    await writeFile(join(draft, 'server-both.pem'), (await Promise.all(parts)).join(''))
    await rename(draft, made)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return made
}

async function certify(cwd, name, { subject, options = [] }) {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', `${name}-key.pem`, '-out', `${name}.pem`]
  const valid = ['-days', '3650', '-subj', subject]
  await run('openssl', ['req', '-x509', ...key, ...valid, ...options, ...files], { cwd })
}
