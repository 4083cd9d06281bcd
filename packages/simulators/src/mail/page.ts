import { createHash } from 'node:crypto'
import type { Mail } from './mail.ts'

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
article { border-top: 1px solid #ccc; padding: 1rem 0 }
h2 { font-size: 1.1rem; margin: 0 }
.who { color: #555; margin: 0 }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere }
`

/** Mails come from anywhere: the page may load nothing, run nothing and send nothing. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The mailbox for a person: newest first, as text, with links that can be clicked. */
export function mailboxPage(mails: readonly Mail[]): string {
  const list = mails.map(article).join('\n') || '<p>No mail yet.</p>'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mailbox</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Mailbox</h1>
${list}
</body>
</html>
`
}

function article({ from, to, at, subject, text, html, outcome }: Mail): string {
  const mark = outcome === 'ok' ? '' : ` (${outcome})`
  const inHtml = linksOf(html).map((link) => `<li>${anchor(link)}</li>`)
  return `<article>
<h2>${escapeHtml(subject || '(no subject)')}${escapeHtml(mark)}</h2>
<p class="who">to ${escapeHtml(to)}, from ${escapeHtml(from)}, ${escapeHtml(at)}</p>
<pre>${linkAddresses(text)}</pre>
${inHtml.length > 0 ? `<p>Links of the HTML part:</p><ul>${inHtml.join('')}</ul>` : ''}
</article>`
}

/** Escapes text and makes its web addresses clickable. */
export function linkAddresses(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, i) => (i % 2 === 1 ? anchorAddress(part) : escapeHtml(part)))
    .join('')
}

/** The web addresses that an HTML part links to; nothing else of it is shown. */
export function linksOf(html: string): string[] {
  const links = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
    ([, double, single]) => unescapeHtml(double ?? single ?? '').trim(),
  )
  return [...new Set(links)].filter((link) => /^https?:\/\//i.test(link))
}

/** A sentence's full stop or closing bracket behind an address is not part of it. */
function anchorAddress(address: string): string {
  let end = address.length
  while (end > 0 && '.,;:!?)]'.includes(address.charAt(end - 1))) end -= 1
  return anchor(address.slice(0, end)) + escapeHtml(address.slice(end))
}

function anchor(link: string): string {
  return `<a href="${escapeHtml(link)}" rel="noopener noreferrer">${escapeHtml(link)}</a>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const CHARACTERS = new Map(
  Object.entries(ENTITIES).map(([character, entity]) => [entity, character]),
)

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS.get(entity) ?? entity)
}
