/** Text from outside on a terminal: what would move the cursor, colour or hide what is said is taken out. */

/** Escape sequences as a whole, then every other control character but the tab. */
const control =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export const printable = (text: string): string => text.replaceAll(control, '');
