const PRIVATE_NAME = /^[^.:]*$|\.(localhost|localdomain|local|internal|lan|svc|home\.arpa)$/;

/** Addresses that are not global (registries iana-ipv4-special-registry, iana-ipv6-address-space). */
const PRIVATE_ADDRESSES = [
	/^(0|10|127)(\.\d+){3}$/,
	/^(100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|198\.1[89])(\.\d+){2}$/,
	/^192\.0\.0\.\d+$/,
	/^(22[4-9]|2[3-5]\d)(\.\d+){3}$/,
	// All global addresses begin with 2 or 3. Those that begin with 2002 contain an IPv4 address.
	/^\[(?![23][\da-f]{3}:)/,
	/^\[2002:/,
	// Protocols such as Teredo (2001::/23) and documentation.
	/^\[2001:((1?[\da-f]{1,2})?:|db8:)/,
	// An IPv4 address at the end, after the mark of ISATAP (RFC 5214, section 6.1).
	/:5efe:[\da-f]+:[\da-f]+\]$/,
];

/** Whether the host of a URL is this machine, so that requests to it never cross a network. */
export function isLoopback(url: URL) {
	return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
}

/** Whether only the machine or its network can reach a URL. Host names are not looked up. */
export function isPrivate(url: string) {
	if (!URL.canParse(url)) return false;
	const host = new URL(url).hostname.replace(/\.$/, '');
	return PRIVATE_NAME.test(host) || PRIVATE_ADDRESSES.some((address) => address.test(host));
}
