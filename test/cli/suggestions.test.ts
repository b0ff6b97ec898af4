import {expect, it} from 'vitest'
import {checkCommand, commandOf, EQUIVALENTS} from '../../src/cli/suggestions.ts'
import {table} from '../../src/table.js'

it.each([
  [['deply'], 'kk has no command "deply"', 'did you mean kk deploy?'],
  [['sandbox', 'list'], 'kk has no command "sandbox list"', 'kk sandbox has: down, shell, status, up'],
  [['sandbox', 'stats'], 'kk has no command "sandbox stats"', 'did you mean kk sandbox status?'],
  [['list'], 'kk has no command "list"', 'did you mean kk status?'],
  [['diff', 'keystone'], 'kk has no command "diff"', 'did you mean kk plan keystone --diff?'],
  [['diff'], 'kk has no command "diff"', 'did you mean kk plan --diff?'],
  [['install', 'all-in-one.yaml'], 'kk has no command "install"', 'did you mean kk deploy all-in-one.yaml?'],
  [
    ['install', 'keystone', './charts/keystone'],
    'kk has no command "install"',
    'did you mean kk upgrade keystone --install?',
  ],
  [['uninstall', 'keystone'], 'kk has no command "uninstall"', 'did you mean kk remove keystone?'],
  [
    ['uninstall', 'env.yaml'],
    'kk has no command "uninstall"',
    'did you mean kk destroy env.yaml --confirm ENVIRONMENT?',
  ],
  [['delete'], 'kk has no command "delete"', 'did you mean kk remove RELEASE?'],
  [['sync', '-f', 'env.yaml'], 'kk has no command "sync"', 'did you mean kk deploy env.yaml?'],
  [['lint', 'env.yaml'], 'kk has no command "lint"', 'did you mean kk check env.yaml?'],
  [['validate'], 'kk has no command "validate"', 'did you mean kk check?'],
  [['template', 'env.yaml'], 'kk has no command "template"', 'did you mean kk render env.yaml?'],
  [['get', 'pods'], 'kk has no command "get"', 'did you mean kk status?'],
  [
    ['diff', 'keystone', '--set', 'x:password', 'hunter2'],
    'kk has no command "diff"',
    'did you mean kk plan keystone --diff?',
  ],
  [['log'], 'kk has no command "log"', 'did you mean kk logs?'],
  [['up'], 'kk has no command "up"', 'did you mean kk deploy?'],
  [['down'], 'kk has no command "down"', 'did you mean kk destroy --confirm ENVIRONMENT?'],
  [
    ['backup', 'env.yaml'],
    'kk has no command "backup"',
    'did you mean kk docs limits, which says what to do instead?',
  ],
  [['drain', 'cmp4'], 'kk has no command "drain"', 'did you mean kk node drain NODE?'],
  [
    ['ldap'],
    'kk has no command "ldap"',
    'list all commands with kk --help, or search the pages with kk docs ldap',
  ],
  [['Hunter2'], 'kk has no command "Hunter2"', 'list all commands with kk --help'],
  [['version', 'foo'], 'kk version takes no "foo"', 'see kk version --help'],
  [['sandbox', 'up', 'one'], 'kk sandbox up takes no "one"', 'see kk sandbox up --help'],
  [['--foo'], 'expected a command, got --foo', 'list all commands with kk --help'],
])('the command line %j is refused with a suggestion', (argv, message, hint) => {
  expect(() => checkCommand(argv, table)).toThrow(expect.objectContaining({code: 'KK_USAGE', message, hint}))
})

it.each([
  [[]],
  [['--help']],
  [['--version']],
  [['--no-color', '--help']],
  [['sandbox']],
  [['graph', 'why', 'a', 'b']],
])('the command line %j is passed to oclif', (argv) => {
  expect(() => checkCommand(argv, table)).not.toThrow()
})

it.each(
  Object.entries(EQUIVALENTS).flatMap(([verb, templates]) => templates.map((template) => [verb, template])),
)('the verb %s of other tools is no command, and %s is one', (verb, template) => {
  const named = [...template!.matchAll(/kk ([a-z ]+)/g)].map(([, words = '']) => words.trim().split(' '))
  // Another word than that of a command is a page of `kk docs`.
  const hinted = named.map(([first = '', ...others]) => (first === 'docs' ? [first] : [first, ...others]))

  expect(commandOf([verb], table)).toBeUndefined()
  expect(Object.keys(table.commands).filter((id) => id.startsWith(`${verb}:`))).toEqual([])
  expect(hinted.map((words) => commandOf(words, table)?.split(':'))).toEqual(hinted)
})
