// npm run services -- <command> [name …]

import {
  ensureChromium,
  inspectServices,
  killService,
  restartService,
  serviceNames,
  startServices,
  stopServices,
} from './index.mjs'

const USAGE = `Usage: npm run services -- <command> [name ...]

  start [name ...] [--json]   start what is not running yet; --json prints { env, versions }
  stop [name ...]             stop what was started here; data is kept
  status [name ...]           what is running
  restart <name>              same address, same data
  kill <name>                 SIGKILL, to see what a crash does
  env [name ...]              lines for a shell: eval "$(npm run -s services env)"
  chromium                    the path of the browser that tests use; fetched if there is none

Names: ${serviceNames.join(', ')}`

const commands = {
  async start(names, options) {
    const { env, versions, failures } = await startServices({ names })
    if (options.includes('--json')) console.log(JSON.stringify({ env, versions }))
    else for (const name in versions) printLine(name, { env, version: versions[name] })
    for (const message of Object.values(failures)) fail(message)
  },

  async stop(names) {
    await stopServices({ names })
  },

  async status(names) {
    for (const [name, found] of Object.entries(await inspectServices({ names }))) {
      printLine(name, found)
    }
  },

  async restart(names) {
    for (const name of atLeastOne(names)) {
      printLine(name, await restartService(name))
    }
  },

  async kill(names) {
    for (const name of atLeastOne(names)) await killService(name)
  },

  async env(names) {
    for (const [name, found] of Object.entries(await inspectServices({ names }))) {
      if (found === undefined) fail(`${name} is not running`)
      for (const [variable, value] of Object.entries(found?.env ?? {})) {
        console.log(`export ${variable}='${value}'`)
      }
    }
  },

  async chromium() {
    console.log(await ensureChromium())
  },
}

const ADDRESS = { kafka: 'KAFKA_BROKERS', rabbitmq: 'RABBITMQ_URL', s3: 'S3_ENDPOINT' }

function printLine(name, found = { version: 'not running', env: {} }) {
  const { version, env, pid } = found
  const columns = [name.padEnd(9), version.padEnd(16), env[ADDRESS[name]], pid && `(pid ${pid})`]
  console.log(columns.filter(Boolean).join(' ').trimEnd())
}

function atLeastOne(names) {
  if (names === undefined) throw new Error(`Which one? ${serviceNames.join(', ')}`)
  return names
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}

const [command, ...rest] = process.argv.slice(2)
const names = rest.filter((word) => !word.startsWith('--'))
const options = rest.filter((word) => word.startsWith('--'))
if (!Object.hasOwn(commands, command ?? '')) {
  console.error(USAGE)
  process.exit(2)
}
try {
  await commands[command](names.length > 0 ? names : undefined, options)
} catch (error) {
  fail(error.message)
}
