<?php
session_start();
if (isset($_GET['export'])) {
    mt_srand(3);
    $rows = [];
    for ($i = 0; $i < 300000; $i++)
        $rows[] = 'order-' . mt_rand();
    for ($n = 0; $n < 5; $n++) {
        $sorted = $rows;
        sort($sorted);
    }
}
echo 'ok';
