// What HEALTHCHECK runs: asks the server of this container how it is. Only what Node brings along.
// Without an argument whether it lives; with `ready` whether it can do its work.

const { PORT = '4600' } = process.env
const path = process.argv[2] === 'ready' ? 'readyz' : 'healthz'

try {
  const answer = await fetch(`http://127.0.0.1:${PORT}/${path}`, {
    signal: AbortSignal.timeout(4_000),
  })
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
