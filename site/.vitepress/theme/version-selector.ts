import {useData} from 'vitepress'
import {defineComponent, h, onMounted, ref} from 'vue'
import type {SiteVersion} from '../versions.ts'

const STYLE = {
  marginLeft: '16px',
  padding: '2px 4px',
  border: '1px solid var(--vp-c-divider)',
  background: 'var(--vp-c-bg)',
  color: 'var(--vp-c-text-1)',
  fontSize: '14px',
}

/**
 * Lists the versions of the site that its root has now, so that a site that was built earlier also lists
 * newer ones. Leads to the same page of another version, or to its first page if it does not have the page.
 */
export const VersionSelector = defineComponent(() => {
  const {site, theme} = useData()
  const {root, version} = theme.value as {readonly root: string; readonly version: string}
  const versions = ref<readonly SiteVersion[]>([{version, path: ''}])

  onMounted(async () => {
    const response = await fetch(`${root}versions.json`)
    if (response.ok) versions.value = (await response.json()) as readonly SiteVersion[]
  })

  async function open(path: string) {
    const base = `${root}${path}`
    const page = location.pathname.slice(site.value.base.length)
    const {ok} = await fetch(`${base}${page}`, {method: 'HEAD'})
    location.assign(ok ? `${base}${page}${location.hash}` : base)
  }

  return () =>
    h(
      'select',
      {
        'aria-label': 'Version',
        style: STYLE,
        onChange: ({target}: Event) => open((target as HTMLSelectElement).value),
      },
      versions.value.map(({version: name, path}) =>
        h('option', {value: path, selected: name === version}, `Version ${name}`),
      ),
    )
})
