import type {ChartPlace} from '../overrides/user/store.ts'
import {foreignMarkup, type Markup, markup} from '../report/files/markup.ts'

const STYLE = foreignMarkup(`
:root{color-scheme:light dark;--line:#8886;--quiet:#666;--accent:#0b57d0;--win:#1a7f3722}
@media(prefers-color-scheme:dark){:root{--quiet:#aaa;--accent:#8ab4f8;--win:#3fb95033}}
body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:1rem}
a{color:var(--accent)} h1{font-size:1.6rem} h2{font-size:1.2rem}
table{border-collapse:collapse;width:100%} th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
pre,textarea,code{font:14px/1.4 ui-monospace,monospace} pre{overflow-x:auto;margin:0;white-space:pre-wrap}
textarea{width:100%;color:inherit;background:transparent;border:1px solid var(--quiet);padding:.4rem;min-height:14rem;box-sizing:border-box}
section{border-top:1px solid var(--line);padding:.5rem 0} .scroll{overflow-x:auto} .layers{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem}
button{font:inherit;padding:.3rem .9rem} :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.won{background:var(--win)} .quiet{color:var(--quiet)} [role=alert]{border-left:4px solid #d1242f;padding:.3rem .8rem} [role=status]{border-left:4px solid #1a7f37;padding:.3rem .8rem}
`)

/** Returns a page of the service: it loads nothing and runs no scripts. */
export function page(title: string, content: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="kk"><a href="/">Charts</a> · <a href="/docs">REST API</a></nav>
<main>
${content}
</main>
</body>
</html>
`.markup
}

/** Returns the address of a chart's page with query parameters. */
export function chartAddress(
  {name, namespace}: ChartPlace,
  query: Readonly<Record<string, string>> = {},
): string {
  return `/charts/${encodeURIComponent(name)}?${new URLSearchParams({namespace, ...query})}`
}
