import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'

const LOWEST = 20_000

/** A free port per name. */
export async function freePorts(names) {
  const ports = {}
  for (const name of names) {
    let port
    do port = LOWEST + Math.floor(Math.random() * (highest() - LOWEST))
    while (Object.values(ports).includes(port) || !(await isFree(port)))
    ports[name] = port
  }
  return ports
}

/**
 * Below the ports that the system gives to outgoing connections. Otherwise a client that keeps
 * trying a stopped broker can be given the broker's own port, connect to itself, and hold the
 * port when the broker wants it back.
 */
function highest() {
  try {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    const first = Number.parseInt(range, 10)
    if (first > LOWEST + 1000) return first
  } catch {
    // Not Linux: its usual range starts higher still.
  }
  return 32_768
}

export async function isFree(port) {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true })
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** An open connection; rejects if there is none within two seconds, or on a later silence. */
async function connection({ host, port }) {
  const socket = connect({ host, port })
  socket.setTimeout(2000, () => socket.destroy(new Error(`${host}:${port} does not answer`)))
  await once(socket, 'connect')
  return socket
}

/** Whether a server accepts connections at one of the addresses. */
export async function isAnyOpen(addresses) {
  for (const address of addresses) {
    try {
      const socket = await connection(address)
      socket.destroy()
      return true
    } catch {
      // The next one may.
    }
  }
  return false
}

/** Rejects unless what listens there says so, once it was told something, if it must be. */
export async function probeText(address, { tell = '', hear }) {
  const socket = await connection(address)
  try {
    if (tell !== '') socket.write(tell)
    for await (const said of socket) {
      if (String(said).startsWith(hear)) return
      break
    }
    throw new Error(`It does not say ${hear}`)
  } finally {
    socket.destroy()
  }
}

/** Rejects unless the answer is a success. */
export async function probeHttp(url, init) {
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
}
