// Draws the diagrams of a page in its colours, again when these change. A diagram that cannot be
// drawn stays its text.

const blocks = [...document.querySelectorAll('pre.mermaid')]
const sources = blocks.map((block) => block.textContent)

await new Promise((resolve, reject) => {
  const script = document.createElement('script')
  script.src = new URL('./mermaid.js', import.meta.url).href
  script.addEventListener('load', resolve)
  script.addEventListener('error', reject)
  document.head.append(script)
})

async function draw() {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'dark' : 'neutral'
  const themeVariables = { edgeLabelBackground: getComputedStyle(document.body).backgroundColor }
  globalThis.mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme,
    themeVariables,
  })
  for (const [i, block] of blocks.entries()) {
    const { svg } = await globalThis.mermaid.render(`diagram-${i}`, sources[i])
    block.innerHTML = svg
    block.dataset.drawn = theme
  }
}

await draw()
new MutationObserver(() => void draw()).observe(document.documentElement, {
  attributeFilter: ['data-theme'],
})
