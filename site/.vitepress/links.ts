import {existsSync} from 'node:fs'
import {dirname, join, normalize, relative} from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

interface Token {
  type: string
  tag: string
  content: string
  hidden: boolean
  readonly children: readonly Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

/** The part of markdown-it that is used here. */
export interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: {tokens: readonly Token[]; env: PageEnv}) => void): void
    }
  }
}

interface PageEnv {
  /** The file on the disk. */
  readonly realPath?: string
  readonly path: string
}

/** Files at the root that the site has as pages; all others of the repository are not on it. */
export const ROOT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ISSUE_TEMPLATE.md', 'SECURITY.md']

/** Returns the path on the site of a Markdown file, given by its path in the repository, if it has one. */
export function sitePath(file: string): string | undefined {
  if (file === 'README.md') return 'index.md'
  if (file === 'docs/README.md') return 'pages.md'
  if (ROOT_PAGES.includes(file)) return file.toLowerCase()
  if (/^site\/values\/[\w-]+\.md$/.test(file)) return file.slice('site/'.length)
  const page = /^docs\/((?:decisions\/|commands\/)?[\w-]+\.md)$/.exec(file)?.[1]
  return page?.replace(/README\.md$/, 'index.md')
}

/**
 * Rewrites links between pages, which are relative to the repository, to addresses of the site. A link to
 * another file of the repository becomes its text, or leads to `repository`, such as
 * `https://git.example.org/kk/src/branch/main`.
 */
export function useSiteLinks(md: Markdown, repository: string | undefined): void {
  md.core.ruler.push('site-links', ({tokens, env}) => {
    const file = relative(ROOT, env.realPath ?? env.path)
    for (const {children} of tokens) {
      const unlinked: boolean[] = []
      for (const token of children ?? []) {
        // Vue would evaluate the braces of a Helm template.
        if (token.type === 'code_inline') token.attrSet('v-pre', '')
        if (token.type === 'link_open') {
          const target = siteTarget(token.attrGet('href') ?? '', file, repository)
          unlinked.push(target === undefined)
          if (target === undefined) token.hidden = true
          else token.attrSet('href', target)
        }
        if (token.type === 'link_close' && unlinked.pop()) token.hidden = true
        if (token.hidden) Object.assign(token, {type: 'text', tag: '', content: ''})
      }
    }
  })
}

/** Returns the target that a link of a file has on the site; undefined if it becomes text. */
export function siteTarget(href: string, file: string, repository?: string): string | undefined {
  if (/^[a-z]+:|^#/.test(href)) return href
  const [target = '', place] = href.split('#')
  const path = normalize(join(dirname(file), decodeURI(target)))
  if (!existsSync(join(ROOT, path))) return href
  const page = sitePath(path)
  const anchor = place === undefined ? '' : `#${place}`
  if (page !== undefined) return `/${page}${anchor}`
  return repository === undefined ? undefined : `${repository}/${path}${anchor}`
}
