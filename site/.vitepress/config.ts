import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {defineConfig} from 'vitepress'
import {sitePath, useSiteLinks} from './links.ts'
import {readGroups} from './navigation.ts'

const ROOT = join(import.meta.dirname, '../..')
const {version, description} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  description: string
}

const base = process.env['KK_SITE_BASE'] ?? '/'
const groups = readGroups(join(ROOT, 'docs/README.md'))
// `npm run docs:site` writes the values.
const generated = [
  {text: 'Commands', items: pagesIn('docs/commands', 'commands')},
  {text: 'Values of charts', items: pagesIn('site/values', 'values')},
]

function pagesIn(directory: string, path: string) {
  return readdirSync(join(ROOT, directory)).map((file) => {
    const name = file.replace(/\.md$/, '')
    return {text: path === 'commands' ? name.replaceAll('-', ' ') : name, link: `/${path}/${name}`}
  })
}

// The pages are those of the repository: nothing is copied. Headings have the anchors that GitHub makes of
// them.
export default defineConfig({
  title: 'kk',
  description,
  srcDir: ROOT,
  srcExclude: [
    '{bench,bin,charts,dist,environments,images,options,scripts,src,test,toolbox}/**',
    'site/*.md',
    'docs/changes/**',
    '.*/**',
  ],
  outDir: join(ROOT, 'dist/site'),
  cacheDir: join(ROOT, 'dist/site-cache'),
  base,
  cleanUrls: false,
  rewrites: (file) => sitePath(file) ?? file,
  markdown: {
    config: (md) => useSiteLinks(md, process.env['KK_SITE_REPOSITORY']),
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
    },
  },
  vite: {build: {chunkSizeWarningLimit: 4096}},
  themeConfig: {
    version,
    // Below it are versions.json and the directories of older versions.
    root: process.env['KK_SITE_ROOT'] ?? base,
    nav: [
      {text: 'All pages', link: '/pages'},
      {text: 'Commands', link: '/commands'},
      {text: 'Changes', link: '/changelog'},
    ],
    sidebar: [...groups, ...generated].map(({text, items}, index) => ({
      text,
      items: [...items],
      collapsed: index >= groups.length,
    })),
    outline: [2, 3],
    search: {provider: 'local'},
  },
})
