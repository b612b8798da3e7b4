import { problemsOfBenchmark } from '../../activities/benchmark-size.ts';

test('problems that were moved away meanwhile are told with the field, and are not tried for ever', async () => {
  const counting = problemsOfBenchmark({ name: 'gsm8k', data: { jsonl: '/moved/away.jsonl' } });
  await expect(counting).rejects.toMatchObject({ code: 'not-found' });
  await expect(counting).rejects.toThrow(
    /^benchmarks\.gsm8k\.data\.jsonl: .* cannot be read now: \/moved\/away\.jsonl/,
  );
});
