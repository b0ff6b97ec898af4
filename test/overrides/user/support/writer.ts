/** `node writer.ts LOCATION WHO COUNT`: adds COUNT keys to the overrides of one chart, all at once. */
import {openStore} from '../../../../src/overrides/user/open.ts'

const [location, who = '', count] = process.argv.slice(2)
const store = await openStore({location, env: {}})
const keys = Array.from({length: Number(count)}, (_, index) => `${who}-${index}`)
await Promise.all(
  keys.map((key) =>
    store.update({name: 'nova', namespace: 'openstack', who}, (current) => ({
      userOverrides: `${current?.userOverrides ?? ''}${key}: 1\n`,
      secret: false,
    })),
  ),
)
await store.close()
