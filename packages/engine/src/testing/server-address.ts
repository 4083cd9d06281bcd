/** What POSTHORN_TEST_SERVERS answers: the variables of a server, none if it cannot be had. */
type Variables = Readonly<Record<string, string>>

/**
 * The address of a server that tests need, by the variable that names it. Without that variable, the
 * run of the tests is asked at POSTHORN_TEST_SERVERS: it starts the server once for all processes. ''
 * if there is none. All variables of the server are set, for processes that inherit them.
 */
export async function serverAddress(variable: string): Promise<string> {
  const given = process.env[variable] ?? ''
  const servers = process.env['POSTHORN_TEST_SERVERS'] ?? ''
  if (given !== '' || servers === '') return given
  const response = await fetch(`${servers}/${variable}`)
  Object.assign(process.env, (await response.json()) as Variables)
  return process.env[variable] ?? ''
}
