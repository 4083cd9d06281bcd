// Runs before anything is drawn, so that a dark page is never white first, and a user who is logged in sees the frame at once. A file of its own, since
// the page's policy lets no script stand in it.
;(function () {
  let chosen
  let isLoggedIn = false
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value')
    isLoggedIn = localStorage.getItem('posthorn.session') !== null
  } catch {
    // Storage that is forbidden is storage without a choice.
  }
  document.documentElement.toggleAttribute('data-shell', isLoggedIn)
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const scheme = isDark ? 'dark' : 'light'
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
  document.documentElement.style.colorScheme = scheme
})()
