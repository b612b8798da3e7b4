/** Tests that not every machine can run: where it cannot, they are skipped, and the reason is printed. */

/** `test` where `reason` is null; else its `skip`, and a line that says what is missing. */
export function testWhere(reason: string | null): jest.It {
  if (reason === null) return test;
  process.stderr.write(`Tests are skipped here: ${reason}\n`);
  return test.skip;
}
