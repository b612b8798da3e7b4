/** What a person took back, on a terminal: below the numbers that it no longer counts in. */
import { sentenceOfWithdrawal, type ShownWithdrawals } from '../../decisions/withdrawal.ts';
import { printable } from './printable.ts';

/** Nothing where nothing was. */
export function withdrawnText({ withdrawn = [], withdrawnOmitted = 0 }: Partial<ShownWithdrawals>): string[] {
  if (withdrawn.length === 0) return [];
  const lines = withdrawn.map((one) => printable(`  ${sentenceOfWithdrawal(one)}`));
  const more = withdrawnOmitted > 0 ? [`  … and ${String(withdrawnOmitted)} older ones`] : [];
  return [['Withdrawn, and not counted:', ...lines, ...more].join('\n')];
}
