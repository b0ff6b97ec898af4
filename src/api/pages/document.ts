import {type Markup, markup} from '../../report/files/markup.ts'

/** The pages in the navigation. */
const NAVIGATION = {
  '/': 'Overview',
  '/plan': 'Plan',
  '/drift': 'Drift',
  '/history': 'History',
  '/fleet': 'Fleet',
  '/overrides': 'Overrides',
  '/docs': 'REST API',
} as const

export type NavigationItem = keyof typeof NAVIGATION

/** The type of a page. */
export const HTML = 'text/html; charset=utf-8'

/** The files that all pages load; `assets.ts` serves them. */
export const ASSET_PATHS = {
  style: '/assets/kk.css',
  script: '/assets/kk.js',
  htmx: '/assets/htmx.js',
} as const

/**
 * htmx never ends a request by itself, because a plan of a large environment takes minutes, and adds no
 * styles of its own.
 */
const HTMX_CONFIG = JSON.stringify({defaultTimeout: 0, includeIndicatorCSS: false})

interface PageOptions {
  /** The item of the navigation that the page belongs to. */
  readonly item?: NavigationItem
}

/** Returns a page of the service. Scripts only fetch its slow parts; each part also has a link. */
export function page(title: string, content: Markup, {item}: PageOptions = {}): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content="${HTMX_CONFIG}">
<title>${title} · kk</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${ASSET_PATHS.style}">
<script src="${ASSET_PATHS.htmx}" defer></script>
<script src="${ASSET_PATHS.script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<nav aria-label="kk"><ul>${Object.entries(NAVIGATION).map(
    ([path, name]) =>
      markup`<li><a href="${path}"${path === item ? markup` aria-current="page"` : markup``}>${name}</a></li>`,
  )}</ul></nav>
<p id="unreachable" role="alert" class="problem" hidden>kk serve does not answer. What is shown may be old; is kk serve still running?</p>
<main id="main" tabindex="-1">
${content}
</main>
</body>
</html>
`.markup
}
