import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>

/** A network, e.g. `10.0.0.0/8`. */
export type Cidr = readonly [Address, number]

/** All global unicast addresses there are are in here; every other address is not public. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Documentation ranges that the library knows as ordinary ones. */
const DOCUMENTATION = ['2001:db8::/32', '3fff::/20'].map((cidr) => ipaddr.IPv6.parseCIDR(cidr))

/** Reads networks with commas or blanks between; throws for what is none. */
export function parseCidrs(text: string): Cidr[] {
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (!ipaddr.isValidCIDR(word))
        throw new TypeError(`"${word}" is not a network like 10.0.0.0/8`)
      return ipaddr.parseCIDR(word)
    })
}

/**
 * Whether a webhook may go to this concrete address: a public one, or one of the networks that the
 * operator opened. Everything that is not plainly public is not, the ways to write an IPv4 address
 * inside an IPv6 one (NAT64, 6to4, Teredo) among them.
 */
export function isAllowedAddress(text: string, opened: readonly Cidr[] = []): boolean {
  // The library reads `1.2.3` as an address too; nothing that a socket reports looks so.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false
  const address = unmap(ipaddr.parse(text))
  const isOpened = opened.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  )
  return isOpened || isPublic(address)
}

/** `::ffff:127.0.0.1` is 127.0.0.1 to the kernel, and so it is to us. */
function unmap(address: Address): Address {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
  return isMapped ? address.toIPv4Address() : address
}

/** Public by number, and answered inside a cloud: Azure's metadata and host agent. */
const INSIDE_CLOUDS = new Set(['168.63.129.16'])

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || INSIDE_CLOUDS.has(address.toString())) return false
  if (!(address instanceof ipaddr.IPv6)) return true
  return address.match(GLOBAL_UNICAST) && !DOCUMENTATION.some((range) => address.match(range))
}
