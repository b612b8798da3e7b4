import fc from 'fast-check';
import { withFieldsSet } from '../../configs/set-fields.ts';
import { TemperError } from '../../decisions/errors.ts';
import { leastPhases, recipeOf } from '../support/recipes.ts';

const document = recipeOf([{ ...leastPhases.sft, gate: [{ rank: { by: 'addition', tie: ['tokens'] } }] }]);
const sftOf = (changed: Record<string, unknown>) => (changed['phases'] as Record<string, unknown>[])[1];

test.each<{ path: string; value: unknown; want: unknown }>([
  { path: 'phases.sft.params.steps', value: 7, want: { params: { ...leastPhases.sft.params, steps: 7 } } },
  { path: 'phases.sft.params.lora.rank', value: 4, want: { params: { lora: { rank: 4 } } } },
  { path: 'phases.1.params.steps', value: 7, want: { params: { steps: 7 } } },
  { path: 'phases.sft.gate.0.rank.tie.0', value: 'earlier', want: { gate: [{ rank: { tie: ['earlier'] } }] } },
  { path: 'phases.sft.onReject', value: 'hold', want: { onReject: 'hold' } },
])('$path is set', ({ path, value, want }) => {
  expect(sftOf(withFieldsSet(document, { [path]: value }))).toMatchObject(want as object);
});

test('a whole phase can be replaced by its name', () => {
  expect(sftOf(withFieldsSet(document, { 'phases.sft': leastPhases.orpo }))).toEqual(leastPhases.orpo);
});

test('the document that was given stays as it was', () => {
  const before = JSON.stringify(document);
  withFieldsSet(document, { 'phases.sft.params.steps': 7, seed: 9 });
  expect(JSON.stringify(document)).toBe(before);
});

test.each([
  { path: '', want: 'set: "" is no path such as phases.sft.params.steps' },
  { path: 'phases..steps', want: 'set: "phases..steps" is no path such as phases.sft.params.steps' },
  {
    path: 'phases.stf.params.steps',
    want: 'set: "phases.stf.params.steps": nothing is named "stf"; did you mean "sft"? There are: base, sft',
  },
  {
    path: 'phases.evaluation.x',
    want: 'set: "phases.evaluation.x": nothing is named "evaluation"; there are: base, sft',
  },
  { path: 'phases.7', want: 'set: "phases.7": nothing is named "7"; there are: base, sft' },
  {
    path: 'phases.sft.gate.2.rank.by',
    want: 'set: "phases.sft.gate.2.rank.by": nothing is named "2"; there are: 0',
  },
  { path: 'name.first', want: 'set: "name" of "name.first" is not a group of fields' },
  {
    path: 'phases.sft.gate.0.rank.tie.0.x',
    want: 'set: "phases.sft.gate.0.rank.tie.0" of "phases.sft.gate.0.rank.tie.0.x" is not a group of fields',
  },
])('"$path" is refused', ({ path, want }) => {
  expect(() => withFieldsSet(document, { [path]: 1 })).toThrow(new TemperError('invalid-input', want));
});

test.each(['__proto__.polluted', 'model.__proto__.polluted', 'constructor.prototype.polluted'])(
  '"%s" reaches no other object of the process',
  (path) => {
    try {
      withFieldsSet(document, { [path]: 1 });
    } catch (error) {
      expect(error).toBeInstanceOf(TemperError);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  },
);

test('any path either sets a field or is refused as input', () => {
  const part = fc.constantFrom('phases', 'sft', 'params', 'gate', '0', 'rank', '', '__proto__', 'length', 'model');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.jsonValue(), (parts, value) => {
      try {
        withFieldsSet(document, { [parts.join('.')]: value });
      } catch (error) {
        expect(error).toMatchObject({ name: 'TemperError', code: 'invalid-input' });
      }
    }),
  );
});

test('what is set stays as it was given, also where a later field lies below it', () => {
  const set = { 'phases.sft.evaluate': { every: 20 }, 'phases.sft.evaluate.every': 5 };
  expect(sftOf(withFieldsSet(document, set))).toMatchObject({ evaluate: { every: 5 } });
  expect(set['phases.sft.evaluate']).toEqual({ every: 20 });
});
