import { userInfo } from 'node:os'

/** Who acts, for the audit: the name given, that of the environment, else the account's. */
export function operatorName(given: string | undefined, env: NodeJS.ProcessEnv): string {
  return `cli:${given || env['POSTHORN_OPERATOR'] || accountName()}`
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user need not have a name.
    return 'unknown'
  }
}
