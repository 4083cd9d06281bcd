/** The server reads no more of a file for a preview. */
const PREVIEW_BYTES = 64 * 1_024

/** The first bytes of a file in base64. */
export async function beginningOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, PREVIEW_BYTES).arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
