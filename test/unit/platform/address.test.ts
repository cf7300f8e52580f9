import { isPrivate } from '../../../nodes/SocialOpenPlatform/platform/address';

describe('isPrivate', () => {
	test.each([
		...['localhost', 'localhost.', 'a.localhost', 'printer', 'nas.local', 'db.internal', 'tv.lan'],
		...['router.home.arpa', '127.0.0.1', '127.1', '2130706433', '0x7f.1', '0.0.0.0'],
		...['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
		...['100.64.0.1', '100.127.255.255', '192.0.0.8', '198.18.0.1', '198.19.255.255'],
		...['224.0.0.1', '240.0.0.1', '255.255.255.255', '１２７.0.0.1', '127。0。0。1'],
		...['[::]', '[::1]', '[::ffff:10.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
		...['[2002:7f00:1::]', '[fd12::1]', '[febf::1]', '[fec0::1]'],
		...['[ff02::1]', '[0:0:0:0:0:0:0:1]'],
		...['localhost.localdomain', 'api.default.svc', 'api.default.svc.cluster.local'],
		...['[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001::1]', '[2001:1ff::1]', '[2001:20::1]'],
		...['[2001:db8::1]', '[2a00:1450::5efe:7f00:1]', '[2a00:1450:1:2:200:5efe:10.0.0.1]'],
		...['[64:ff9b:1::7f00:1]', '[::ffff:0:7f00:1]'],
	])('is true of %s', (host) => {
		expect(isPrivate(`http://${host}/a.jpg`)).toBe(true);
		expect(isPrivate(`https://user:password@${host}:8443/`)).toBe(true);
	});

	test.each([
		...['example.com', '8.8.8.8', '100.63.0.1', '100.128.0.1', '172.15.0.1', '172.32.0.1'],
		...['192.0.1.1', '192.169.0.1', '198.17.0.1', '198.20.0.1', '223.255.255.255', '11.0.0.1'],
		...[
			'[2606:4700::1111]',
			'[2a00:1450::1]',
			'[2001:4860::8888]',
			'[2001:200::1]',
			'[2001:1f00::1]',
			'[2a00:1450:5efe:1:2:3:4:5]',
			'svc.example.com',
			'localdomain.example',
			'10.example.com',
			'localhost.com',
		],
		...['local.example', 'lan.example', 'internal.example.com', '127.0.0.1.example'],
	])('is false of %s', (host) => {
		expect(isPrivate(`http://${host}/127.0.0.1?localhost`)).toBe(false);
	});
});
