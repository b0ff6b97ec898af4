import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {packageList} from '../../../src/images/inventory/package-list.ts'
import {imageVersion, readPackages} from '../../../src/images/inventory/packages.ts'
import {testDirectory} from '../../support/test-directory.ts'

const STATUS = `Package: memcached
Status: install ok installed
Version: 1.6.18-1+deb12u1

Package: gone
Status: deinstall ok config-files
Version: 1

Package: python3-keystone
Status: install ok installed
Version: 2:22.0.2-0+deb12u6
`

async function root(): Promise<string> {
  const path = testDirectory()
  await mkdir(join(path, 'var/lib/dpkg'), {recursive: true})
  await writeFile(join(path, 'var/lib/dpkg/status'), STATUS)
  await mkdir(join(path, 'var/lib/kolla/venv/lib/python3/site-packages/Oslo_Config-9.4.0.dist-info'), {
    recursive: true,
  })
  return path
}

it("the packages of an image are Debian's installed ones, and pip's", async () => {
  const packages = await readPackages(await root())

  expect(packages).toEqual([
    {type: 'deb', name: 'memcached', version: '1.6.18-1+deb12u1'},
    {type: 'deb', name: 'python3-keystone', version: '2:22.0.2-0+deb12u6'},
    {type: 'pypi', name: 'oslo-config', version: '9.4.0'},
  ])
  expect(imageVersion('deb/python3-keystone', packages, '0')).toBe('22.0.2-0+deb12u6')
  expect(imageVersion('pypi/oslo-config', packages, '0')).toBe('9.4.0')
})

it('the package list is SPDX and identifies each package by its purl', async () => {
  const module = {type: 'golang', name: 'example.org/hello/v2', version: 'v2.0.1'} as const
  const packages = [...(await readPackages(await root())), module]
  const image = {repository: 'kk/memcached', tag: 'zed', title: 'memcached'}

  const list = packageList(image, {version: '1', packages, inputs: 'abc', created: new Date(0)}) as {
    packages: {name: string; externalRefs?: {referenceLocator: string}[]}[]
  }

  expect(list).toMatchObject({spdxVersion: 'SPDX-2.3', creationInfo: {created: '1970-01-01T00:00:00Z'}})
  expect(list.packages.map((each) => each.externalRefs?.[0]?.referenceLocator ?? each.name)).toEqual([
    'kk/memcached:zed',
    'pkg:deb/debian/memcached@1.6.18-1%2Bdeb12u1',
    'pkg:deb/debian/python3-keystone@2%3A22.0.2-0%2Bdeb12u6',
    'pkg:pypi/oslo-config@9.4.0',
    'pkg:golang/example.org/hello/v2@v2.0.1',
  ])
  expect(imageVersion('golang/example.org/hello/v2', packages, '0')).toBe('2.0.1')
})
