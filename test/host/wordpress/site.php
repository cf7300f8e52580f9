<?php
// Installs the WordPress in the working directory, or replaces its articles by those in the first
// argument and prints their IDs. An article has the fields of wp_insert_post(), and the kind of its
// featured image.
$_SERVER['HTTP_HOST'] = parse_url(getenv('SITE_URL'), PHP_URL_HOST);
define('WP_INSTALLING', !isset($argv[1]));
require getcwd() . '/wp-load.php';

if (WP_INSTALLING) {
	require ABSPATH . 'wp-admin/includes/upgrade.php';
	wp_install('Blog', 'anna', 'anna@example.com', true, '', wp_generate_password());
	$wp_rewrite->set_permalink_structure('/%postname%/');
	$wp_rewrite->flush_rules();
	exit();
}

/** Adds an image to the media library, and returns its ID. */
function add_image(string $kind, int $article): int {
	$is_webp = $kind === 'webp';
	$file = wp_upload_dir()['path'] . "/image-of-$article." . ($is_webp ? 'webp' : 'jpg');
	$image = imagecreatetruecolor(400, 400);
	$is_webp ? imagewebp($image, $file) : imagejpeg($image, $file);
	$type = $is_webp ? 'image/webp' : 'image/jpeg';
	// WordPress does not show an image that was uploaded in a draft.
	$parent = $kind === 'in a draft' ? wp_insert_post(['post_title' => 'Draft']) : $article;
	$id = wp_insert_attachment(['post_mime_type' => $type], $file, $parent);
	update_post_meta($id, '_wp_attachment_image_alt', 'A “lake”');
	if ($kind === 'deleted') {
		unlink($file);
	}
	return $id;
}

wp_set_current_user(1);
$articles = json_decode($argv[1], true);
foreach (get_posts(['numberposts' => -1, 'post_status' => 'any']) as $post) {
	if (!in_array($post->ID, array_column($articles, 'ID'))) {
		wp_delete_post($post->ID, true);
	}
}
$ids = [];
foreach ($articles as $article) {
	$article += ['post_status' => 'publish'];
	$id = wp_insert_post($article, true);
	if ($article['post_status'] === 'publish') {
		// WordPress has scheduled an article with a date in the future.
		wp_publish_post($id);
	}
	if (isset($article['image'])) {
		set_post_thumbnail($id, add_image($article['image'], $id));
	}
	$ids[] = $id;
}
echo json_encode($ids);
