import {expect, it} from 'vitest'
import {useCharts} from '../own-charts/support/charts.ts'
import {pods, secret, workloads} from '../own-charts/support/objects.ts'
import {containerOf} from './support/container.ts'
import {imageOf} from './support/images.ts'
import {startOf} from './support/start-of.ts'

const charts = await useCharts()

/** As keystone.identity.core: DomainConfigs reads the file of a domain. */
const READ_DOMAINS = `
from oslo_config import cfg
import keystone.conf
keystone.conf.configure()
for domain in ("one", "other"):
    conf = cfg.ConfigOpts()
    keystone.conf.configure(conf=conf)
    path = "/etc/keystone/domains/keystone.%s.conf" % domain
    conf(args=[], project="keystone", default_config_files=[path], default_config_dirs=[])
    print(domain, conf.ldap.url, conf.ldap.password)
`

it.each(['keystone', 'keystone-2026.1'])(
  'each of two LDAP domains reads its own password in %s',
  async (image) => {
    const file = (name: string) => ({path: `/etc/keystone/domains/keystone.${name}.conf`})
    const domain = (name: string) => ({ldap: {url: `ldap://${name}`, password: `marked-${name}`}})
    const objects = await charts.render('keystone', {
      values: {
        files: {one: file('one'), other: file('other')},
        conf: {one: domain('one'), other: domain('other'), keystone: {ldap: {password: 'marked-default'}}},
      },
    })
    const [{spec}] = pods(workloads(objects)) as [ReturnType<typeof pods>[number]]
    const [unit] = spec.containers
    const variables = (unit!.env ?? []).flatMap(({name, valueFrom}) => {
      const reference = valueFrom?.secretKeyRef
      return reference === undefined ? [] : [[name, secret(objects, reference.name, reference.key)]]
    })
    const container = await containerOf(imageOf(image))
    const placed = await container.configure(startOf(objects, spec, unit!).files)
    expect(placed.exitCode, placed.says).toBe(0)

    const read = await container.run(`python3 -c '${READ_DOMAINS}'`, {env: Object.fromEntries(variables)})

    expect(read.says.trim()).toMatch(/one ldap:\/\/one marked-one\nother ldap:\/\/other marked-other$/)
  },
)
