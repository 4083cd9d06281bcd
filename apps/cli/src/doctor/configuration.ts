import { SERVER_SETTINGS, type Configuration } from '@posthorn/server'
import type { Systems } from '../environment.ts'
import { nearest } from '../nearest.ts'
import { oneLine } from '../words.ts'
import { ok, warn, type Finding } from './finding.ts'

/** The variables of an environment, and who reads them. */
export interface Variables {
  readonly env: NodeJS.ProcessEnv
  readonly systems: Systems
}

/** What is suspicious about an environment that has no mistakes. */
export function checkConfiguration(configuration: Configuration, variables: Variables): Finding[] {
  const { production, roles, unknown: names } = configuration
  const mode = production ? 'production' : 'development'
  const known = namesOf(variables.systems)
  return [
    ok('configuration', `${mode}, roles ${[...roles].join(', ')}`),
    ...names.map((name) => notOurs(name, nearest(name, known))),
    ...nearMisses(variables.env, known).map(([name, meant]) => notOurs(name, meant)),
  ]
}

function notOurs(name: string, meant: string | undefined): Finding {
  const says = `unknown variable ${oneLine(name)}`
  if (meant === undefined) return warn('configuration', says, 'see docs/reference/config.md')
  return warn('configuration', says, { todo: `did you mean ${meant}?`, run: `unset ${name}` })
}

function namesOf(systems: Systems): string[] {
  const schemas = [SERVER_SETTINGS, ...systems.map(({ settings }) => settings)]
  return [...new Set(schemas.flatMap(({ properties }) => Object.keys(properties)))]
}

/** As much of a name must be the same before it is taken for a slip: HOME is not HOST. */
const SAME_LETTERS = 5
const OTHER_LETTERS = 2

/** Variables without our prefix that differ by a letter or two from one that is not set. */
function nearMisses(env: NodeJS.ProcessEnv, known: readonly string[]): [string, string][] {
  const unset = known.filter((name) => !env[name])
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || name.startsWith('POSTHORN_')) return []
    const alike = unset.filter(
      (each) =>
        each.slice(0, SAME_LETTERS) === name.slice(0, SAME_LETTERS) &&
        Math.abs(each.length - name.length) <= OTHER_LETTERS,
    )
    const meant = nearest(name, alike)
    return meant === undefined ? [] : [[name, meant] as [string, string]]
  })
}
