import { checkFile } from '../../../nodes/SocialOpenPlatform/post/media/limits';
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

const image = { kind: 'image', format: 'JPEG', type: 'image/jpeg' } as const;
const video = { kind: 'video', format: 'MP4', type: 'video/mp4' } as const;

describe('checkFile', () => {
	const MB = 1024 * 1024;

	test.each([
		[8, image, 'POST'],
		[300, video, 'POST'],
		[100, video, 'STORY'],
	])('accepts at most %s MB of %j for a %s', (max, media, type) => {
		expect(checkFile({ bytes: max * MB, media }, type)).toStrictEqual({ warnings: [] });
		expect(checkFile({ bytes: max * MB + 1, media }, type)).toStrictEqual({
			issue: `is ${max}.1 MB; the photo platform accepts at most ${max} MB`,
		});
	});

	test('accepts a file whose size is not known, but none of an unknown format', () => {
		expect(checkFile({ media: video }, 'POST')).toStrictEqual({ warnings: [] });
		expect(checkFile({}, 'POST')).toStrictEqual({
			issue: 'is not an image or a video that can be posted; use JPEG, PNG, GIF, WebP or MP4',
		});
	});

	test('accepts only an image as the cover', () => {
		expect(checkFile({ bytes: 1000, media: image }, 'REEL', true)).toStrictEqual({ warnings: [] });
		expect(checkFile({ bytes: 1000, media: video }, 'REEL', true)).toStrictEqual({
			issue: 'is a video; the cover must be an image',
		});
		expect(checkFile({ bytes: 8 * MB + 1, media: image }, 'REEL', true).issue).toMatch(
			/^is 8.1 MB/,
		);
	});

	test('warns of the aspect ratio of an image of a post, and not of a cover', () => {
		const media = { ...image, width: 1080, height: 1920 };
		expect(checkFile({ media }, 'POST').warnings).toStrictEqual([
			expect.stringMatching(/^is 1080 × 1920 pixels/),
		]);
		expect(checkFile({ media }, 'POST', true).warnings).toStrictEqual([]);
		expect(checkFile({ media: { ...media, format: 'PNG' } }, 'POST', true).warnings).toStrictEqual([
			'is PNG; only JPEG is certain to be accepted',
		]);
	});
});
