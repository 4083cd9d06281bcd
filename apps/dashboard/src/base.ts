/** The path below which the pages are served, as `/posthorn`; empty at the root. */
export function basePath(): string {
  const given = document.querySelector<HTMLMetaElement>('meta[name=base]')?.content ?? ''
  // A page that no server has filled in is served from the root.
  return given.startsWith('/') ? given : ''
}
