import { readdirSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * A page's folder is the first word of its address. The server reads the list, so that it serves the
 * dashboard at the addresses of its pages and nowhere else.
 */
function pageList(): Plugin {
  return {
    name: 'page-list',
    generateBundle() {
      const folder = new URL('src/pages', import.meta.url)
      const entries = readdirSync(folder, { withFileTypes: true })
      const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
      const source = JSON.stringify(names.toSorted())
      this.emitFile({ type: 'asset', fileName: 'pages.json', source })
    },
  }
}

export default defineConfig({
  plugins: [react(), pageList()],
  // The server says where the pages are: it may be below a path of another's.
  base: './',
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['index.html', 'portal.html'] },
  },
})
