import { recordedEnv } from './lifecycle.mjs'
import { isAnyOpen } from './ports.mjs'

/**
 * Whether the environment names a service that is not the one in `folder`. A process that was
 * given our own address (a test, a shell after `env`) may still stop and start what is behind it.
 */
export function isGiven(service, folder) {
  const value = process.env[service.variable]
  return Boolean(value) && value !== recordedEnv(service, folder)[service.variable]
}

/** The service that the environment names, once it is known to be there. */
export async function reach(service) {
  const value = process.env[service.variable]
  // A connection is all that can be checked: it may want certificates or a login.
  if (!(await isAnyOpen(service.addresses(value)))) {
    throw new Error(
      `${service.name}: no answer at ${service.variable}=${value}.\n` +
        `Start it, or unset ${service.variable} to have one started here.`,
    )
  }
  const names = Object.keys(service.env({}, '')).filter((name) => process.env[name] !== undefined)
  return {
    version: `given by ${service.variable}`,
    env: Object.fromEntries(names.map((name) => [name, process.env[name]])),
    wasRunning: true,
  }
}
