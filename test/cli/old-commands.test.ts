import {expect, it} from 'vitest'
import {OLD_COMMANDS, withPresentName} from '../../src/cli/old-commands.ts'
import {commandOf} from '../../src/cli/suggestions.ts'
import {table} from '../../src/table.js'

it.each([
  [
    ['doctor', 'charts', 'cloud.yaml'],
    ['check', 'cloud.yaml'],
    'note: kk doctor charts is deprecated; use kk check instead',
  ],
  [
    ['help', 'doctor', 'charts'],
    ['help', 'check'],
    'note: kk doctor charts is deprecated; use kk check instead',
  ],
  [
    ['licenses'],
    ['version', '--licenses'],
    'note: kk licenses is deprecated; use kk version --licenses instead',
  ],
  [
    ['help', 'licenses'],
    ['help', 'version'],
    'note: kk licenses is deprecated; use kk version --licenses instead',
  ],
  [['doctor', 'cloud.yaml'], ['doctor', 'cloud.yaml'], ''],
  [['check', 'doctor', 'charts'], ['check', 'doctor', 'charts'], ''],
])('%j is run as %j', (argv, expected, note) => {
  const notes: string[] = []

  expect(withPresentName(argv, (line) => notes.push(line))).toEqual(expected)
  expect(notes.join('\n')).toBe(note)
})

it.each(Object.entries(OLD_COMMANDS))('kk %s is no command, and kk %s is one', (old, present) => {
  const flags = present.split(' ').filter((word) => word.startsWith('-'))
  const words = present.split(' ').filter((word) => !word.startsWith('-'))
  const id = words.join(':')

  expect(commandOf(old.split(' '), table)).not.toBe(old.replaceAll(' ', ':'))
  expect(commandOf(words, table)).toBe(id)
  const known = Object.keys(table.commands[id]!.flags)
  expect(flags.filter((flag) => !known.includes(flag.replace('--', '')))).toEqual([])
})
