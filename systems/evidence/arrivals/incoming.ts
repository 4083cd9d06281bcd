/** Objects under this prefix are files of the organisation that the next part of the key names. */
export const INCOMING = 'incoming/'

const LONGEST_KEY = 1_024

/** The organisation of a key; undefined for folders and keys elsewhere. */
export function orgOfKey(key: string): string | undefined {
  if (key.endsWith('/') || key.includes('\0') || Buffer.byteLength(key) > LONGEST_KEY)
    return undefined
  const [prefix, org, ...path] = key.split('/')
  if (`${prefix}/` !== INCOMING || org === undefined || org === '') return undefined
  return path.length > 0 ? org : undefined
}
