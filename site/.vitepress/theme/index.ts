import DefaultTheme from 'vitepress/theme'
import {h} from 'vue'
import {VersionSelector} from './version-selector.ts'

/** The default theme of VitePress, with a selector of versions in the navigation bar. */
export default {
  ...DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, {'nav-bar-content-after': () => h(VersionSelector)}),
}
