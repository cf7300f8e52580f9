<?php
// Leads every path that is not a file to WordPress, as a web server does for it.
if (is_file($_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))) {
	return false;
}
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
