import type { Page } from 'playwright-core'

/** A page that moves on gives up its requests, the live stream before all. */
const GIVEN_UP = 'net::ERR_ABORTED'

/** Chromium's words for a violated policy are a console error; this names the rule and the place. */
const REPORT_VIOLATIONS = `
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error('CSP: ' + event.violatedDirective + ' forbids ' + event.blockedURI + ' at ' +
      event.sourceFile + ':' + event.lineNumber)
  })`

/**
 * Collects what must not happen on a page: errors in the console or thrown, violations of the
 * content security policy, answers of 500 and more, requests that fail. `allowed` are the problems
 * that a test makes on purpose.
 */
export async function watchProblems(
  page: Page,
  allowed: readonly RegExp[],
): Promise<readonly string[]> {
  const problems: string[] = []
  const note = (problem: string) => {
    if (!allowed.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  await page.addInitScript({ content: REPORT_VIOLATIONS })
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => note(`thrown: ${error.stack ?? error.message}`))
  page.on('response', (response) => {
    const { method, url } = { method: response.request().method(), url: response.url() }
    if (response.status() >= 500) note(`answer: ${response.status()} of ${method} ${url}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'unknown'
    if (reason !== GIVEN_UP) note(`request: ${request.method()} ${request.url()}: ${reason}`)
  })
  return problems
}
