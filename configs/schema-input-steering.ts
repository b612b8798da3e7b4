/**
 * What a person sends to a running pipeline. Workflows check it themselves, so that it stands beside their other input, apart from the
 * recipe's schema.
 *
 * Covers shapes. Does not cover whether a message fits the state of its phase (decisions/steering.ts).
 */
import { z } from 'zod';

const phase = z.string().min(1).describe('The phase.');
const who = {
  by: z.string().min(1).optional().describe('Who says so.'),
  reason: z.string().min(1).optional().describe('Why, for whoever reads it later.'),
};

export const holdInputSchema = z.strictObject({ phase: phase.optional(), ...who });

export type HoldInput = z.output<typeof holdInputSchema>;
