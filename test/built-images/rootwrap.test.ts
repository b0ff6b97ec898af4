import {describe, expect, it} from 'vitest'
import {useCharts} from '../own-charts/support/charts.ts'
import {find, pods} from '../own-charts/support/objects.ts'
import {containerOf} from './support/container.ts'
import {releasesOf} from './support/images.ts'

const charts = await useCharts()

/** The images whose services run commands as root, with their charts, which are named as their users. */
const PRIVILEGED = [
  ['nova', 'nova-compute'],
  ['neutron', 'neutron-metadata-agent'],
  ['cinder', 'cinder-volume'],
  ['cinder', 'cinder-backup'],
  ['manila', 'manila-data'],
] as const

/** The script of a chart that starts its services that run commands as root. */
async function startScriptOf(chart: string): Promise<string> {
  const {data = {}} = find(await charts.render(chart), 'ConfigMap', `${chart}-bin`)
  return data['start-with-root.sh']!
}

interface SecurityContext {
  readonly privileged?: boolean
  readonly capabilities?: {readonly add?: readonly string[]}
}

/**
 * The capabilities of a pod of a chart that runs in this image; none where it is privileged, and has all that
 * there are.
 */
async function capabilitiesOf(chart: string, image: string): Promise<readonly string[]> {
  const units = pods(await charts.render(chart)).flatMap(({spec}) => spec.containers)
  const unit = units.find((each) => each.image.includes(`/${image}:`))
  const {privileged, capabilities} = (unit as {readonly securityContext?: SecurityContext}).securityContext!
  return privileged ? [] : capabilities!.add!
}

describe.each(
  PRIVILEGED.flatMap(([service, name]) =>
    releasesOf(name).map((image) => ({image, name: image.name, service, of: name})),
  ),
)('the service of the image $name', ({image, service, of}) => {
  const wrapped = `sudo -n ${service}-rootwrap /etc/${service}/rootwrap.conf`

  it('runs the oslo.privsep helper as root, from its user and with the capabilities of its pod', async () => {
    const container = await containerOf(image)
    const capabilities = await capabilitiesOf(service, of)
    const bounds = capabilities.map((name) => `+${name.toLowerCase()}`)
    const bound = bounds.length === 0 ? '' : `--bounding-set=${['-all', ...bounds].join()} --inh-caps=-all`
    const who = `--reuid=${service} --regid=${service} --init-groups`

    const user = await container.run('id -un')
    const {exitCode, says} = await container.run(
      `setpriv ${who} ${bound} -- ${wrapped} privsep-helper --help`,
      {user: 'root', capabilities},
    )

    expect(user.says.trim()).toBe(service)
    expect(exitCode, says).toBe(0)
    expect(says).toContain('--privsep_sock_path')
  })

  it('is not started by its chart if it must not run commands as root', async () => {
    const container = await containerOf(image)
    const script = await startScriptOf(service)
    const capabilities = await capabilitiesOf(service, of)
    const start = (before: string) =>
      container.run(
        `cat >/start.sh <<'END'
${script}
END
        ${before}
        setpriv --reuid=${service} --regid=${service} --init-groups -- bash /start.sh ${service} echo started`,
        {user: 'root', capabilities},
      )

    const allowed = await start('true')
    const refused = await start(`rm /etc/sudoers.d/${service}`)

    expect(allowed.says).toContain('started')
    expect(refused.exitCode, refused.says).not.toBe(0)
    expect(refused.says).not.toContain('started')
  })

  it('runs only rootwrap as root, and only filtered commands', async () => {
    const container = await containerOf(image)

    for (const command of [`${wrapped} id`, 'sudo -n privsep-helper --help', 'sudo -n id']) {
      const {exitCode, says} = await container.run(command)
      expect(exitCode, `${command}: ${says}`).not.toBe(0)
    }
  })

  it('cannot change the commands that it may run as root', async () => {
    const container = await containerOf(image)

    const {exitCode, says} = await container.run(
      `set -e
      cd /etc/${service}
      for place in . rootwrap.conf $(sed -n 's/^filters_path *= *//p' rootwrap.conf | tr , ' '); do
        [ ! -e $place ] || echo $place
      done >/tmp/places
      while read -r place; do
        if [ $place = . ]; then depth=0; else depth=9; fi
        find $place -maxdepth $depth '(' -not -user root -o -perm /022 ')'
      done </tmp/places
      wc --lines </tmp/places`,
      {user: 'root'},
    )

    expect(exitCode, says).toBe(0)
    expect(says.trim()).toMatch(/^[3-9]$/)
  })
})
