import { checkFile, isPrivate } from '../../../nodes/SocialOpenPlatform/post/media/limits';
import { linkIssue } from '../../../nodes/SocialOpenPlatform/post/media/formats';

describe('linkIssue', () => {
	test.each([
		['Google Drive', 'https://drive.google.com/file/d/1AbC/view?usp=sharing'],
		['Google Drive', 'https://drive.google.com/file/u/0/d/1AbC/view'],
		['Google Drive', 'https://drive.google.com/open?id=1AbC'],
		['Google Drive', 'https://drive.google.com/uc?id=1AbC'],
		['Google Drive', 'https://docs.google.com/uc?id=1AbC'],
		['Google Drive', 'https://drive.google.com/drive/folders/1AbC'],
		['Dropbox', 'https://www.dropbox.com/s/1/photo.jpg?dl=0'],
		['Dropbox', 'https://www.dropbox.com/scl/fi/abc/photo.jpg?rlkey=x'],
		['OneDrive', 'https://1drv.ms/i/s!abc'],
		['OneDrive', 'https://onedrive.live.com/?authkey=x&id=1'],
		['OneDrive', 'https://company-my.sharepoint.com/:i:/g/personal/a/Eabc?e=1'],
		['Google Photos', 'https://photos.app.goo.gl/abc'],
		['Google Photos', 'https://photos.google.com/share/abc'],
	])('recognizes a page of %s: %s', (name, link) => {
		expect(linkIssue(link)).toMatch(new RegExp(`^is a ${name} page`));
	});

	test.each([
		'https://drive.google.com/uc?export=download&id=1AbC',
		'https://drive.google.com/uc?id=1AbC&export=download',
		'https://drive.google.com/thumbnail?id=1AbC&sz=w1000',
		'https://drive.usercontent.google.com/download?id=1AbC',
		'https://lh3.googleusercontent.com/d/1AbC',
		'https://www.dropbox.com/s/1/photo.jpg?dl=1',
		'https://www.dropbox.com/scl/fi/abc/photo.jpg?rlkey=x&raw=1',
		'https://dl.dropboxusercontent.com/s/1/photo.jpg',
		'https://onedrive.live.com/download?resid=1&authkey=x',
		'https://onedrive.live.com/download.aspx?resid=1',
		'https://1drv.ms/i/s!abc?download=1',
		'https://company-my.sharepoint.com/:i:/g/personal/a/Eabc?e=1&download=1',
		'https://company.sharepoint.com/sites/a/_layouts/15/download.aspx?share=Eabc',
		'https://cdn.example/a.jpg?from=https://www.dropbox.com/s/1',
		'https://drive.google.com.example/file/d/1',
	])('returns nothing for the direct link %s', (link) => {
		expect(linkIssue(link)).toBeUndefined();
	});
});

const image = { kind: 'image', name: 'JPEG', type: 'image/jpeg' } as const;
const video = { kind: 'video', name: 'MP4', type: 'video/mp4' } as const;

describe('checkFile', () => {
	const MB = 1024 * 1024;

	test.each([
		[8, image, 'POST'],
		[300, video, 'POST'],
		[100, video, 'STORY'],
	])('accepts at most %s MB of %j for a %s', (max, format, type) => {
		expect(checkFile({ bytes: max * MB, format }, type)).toStrictEqual({ warnings: [] });
		expect(checkFile({ bytes: max * MB + 1, format }, type)).toStrictEqual({
			issue: `is ${max}.1 MB; the photo platform accepts at most ${max} MB`,
		});
	});

	test('accepts a file whose size is not known, but none of an unknown format', () => {
		expect(checkFile({ format: video }, 'POST')).toStrictEqual({ warnings: [] });
		expect(checkFile({}, 'POST')).toStrictEqual({
			issue: 'is not an image or a video that can be posted; use JPEG, PNG, GIF, WebP or MP4',
		});
	});

	test('accepts only an image as the cover', () => {
		expect(checkFile({ bytes: 1000, format: image }, 'REEL', true)).toStrictEqual({ warnings: [] });
		expect(checkFile({ bytes: 1000, format: video }, 'REEL', true)).toStrictEqual({
			issue: 'is a video; the cover must be an image',
		});
		expect(checkFile({ bytes: 8 * MB + 1, format: image }, 'REEL', true).issue).toMatch(
			/^is 8.1 MB/,
		);
	});

	test('warns of the aspect ratio of an image of a post, and not of a cover', () => {
		const format = { ...image, width: 1080, height: 1920 };
		expect(checkFile({ format }, 'POST').warnings).toStrictEqual([
			expect.stringMatching(/^is 1080 × 1920 pixels/),
		]);
		expect(
			checkFile({ format: { ...image, width: 1200, height: 600 } }, 'POST').warnings,
		).toHaveLength(1);
		for (const height of [1350, 566]) {
			expect(checkFile({ format: { ...image, width: 1080, height } }, 'POST').warnings).toEqual([]);
		}
		expect(checkFile({ format }, 'POST', true).warnings).toStrictEqual([]);
		expect(checkFile({ format: { ...format, name: 'PNG' } }, 'POST', true).warnings).toStrictEqual([
			'is PNG; only JPEG is certain to be accepted',
		]);
	});
});

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
