/** Routes that a portal shows. */
export const READ = { config: { portal: 'read' } } as const

/** Routes that change endpoints or send again: for portals that may. */
export const CHANGE = { config: { portal: 'write', access: 'administer' } } as const
