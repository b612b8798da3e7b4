/** The name of this processor in Debian's library folders. */
export function debianTriplet(architecture: string = process.arch): string {
  return architecture === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
}
