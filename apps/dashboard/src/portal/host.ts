/** What a portal says to the page that embeds it: nothing in it is secret, so any page may hear it. */
export interface PortalMessage {
  readonly source: 'posthorn-portal'
  /** `expired`: make a new token and load the frame anew. `height`: in pixels, to fit the frame. */
  readonly type: 'expired' | 'height'
  readonly height?: number
}

export function tellHost(type: PortalMessage['type'], height?: number): void {
  if (window.parent === window) return
  const message = { source: 'posthorn-portal', type, ...(height !== undefined && { height }) }
  window.parent.postMessage(message, '*')
}

/** Tells the host the height of the page whenever it changes. */
export function reportHeight(element: HTMLElement): () => void {
  let last = 0
  const observer = new ResizeObserver(() => {
    const height = Math.ceil(element.getBoundingClientRect().height)
    if (height === last) return
    last = height
    tellHost('height', height)
  })
  observer.observe(element)
  return () => observer.disconnect()
}
