import type { ConsoleMessage, Page, Request, Response } from 'playwright-core'

/** A page that moves on gives up its requests, the live stream before all. */
const GIVEN_UP = 'net::ERR_ABORTED'

/** Chromium's words for a violated policy are a console error; this names the rule and the place. */
export const REPORT_VIOLATIONS = `
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error('CSP: ' + event.violatedDirective + ' forbids ' + event.blockedURI + ' at ' +
      event.sourceFile + ':' + event.lineNumber)
  })`

/** What went wrong on a page, as far as it was watched. */
export interface Watch {
  readonly problems: readonly string[]
  stop(): void
}

/**
 * Collects what must not happen on a page: errors in the console or thrown, violations of the
 * content security policy, answers of 500 and more, requests that fail. `allowed` are the problems
 * that a test makes on purpose.
 */
export function watchProblems(page: Page, allowed: readonly RegExp[]): Watch {
  const problems: string[] = []
  const note = (problem: string) => {
    if (!allowed.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  const onConsole = (message: ConsoleMessage) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  }
  const onError = (error: Error) => note(`thrown: ${error.stack ?? error.message}`)
  const onResponse = (response: Response) => {
    const { method, url } = { method: response.request().method(), url: response.url() }
    if (response.status() >= 500) note(`answer: ${response.status()} of ${method} ${url}`)
  }
  const onFailure = (request: Request) => {
    const reason = request.failure()?.errorText ?? 'unknown'
    if (reason !== GIVEN_UP) note(`request: ${request.method()} ${request.url()}: ${reason}`)
  }
  page.on('console', onConsole).on('pageerror', onError)
  page.on('response', onResponse).on('requestfailed', onFailure)
  return {
    problems,
    stop() {
      page.off('console', onConsole).off('pageerror', onError)
      page.off('response', onResponse).off('requestfailed', onFailure)
    },
  }
}
