import type { paths } from '../../api/schema.d.ts'
import type { StateRole } from '../../states/role.ts'

/** The story and how far it is. */
export type Story = paths['/api/v1/demo']['get']['responses'][200]['content']['application/json']
export type StoryStep = Story['steps'][number]

export const STEP_ROLES: Readonly<Record<StoryStep['status'], StateRole>> = {
  waiting: 'ready',
  running: 'claimed',
  done: 'confirmed',
  failed: 'dead',
  cancelled: 'cancelled',
}

/** An address of ours in its two parts, as links want it. */
export function placeOf(path: string): { to: string; search: Record<string, string> } {
  const [to = '/', query = ''] = path.split('?')
  return { to, search: Object.fromEntries(new URLSearchParams(query)) }
}
