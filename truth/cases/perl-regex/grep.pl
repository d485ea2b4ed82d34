# Looks for a pattern in lines; with argument 1, some lines make it backtrack.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
my ($found, $slow) = (0, 0);
for my $i (1 .. 3000) {
	my $line = ("a" x ($ARGV[0] && $i % 500 == 0 ? 18 : 4)) . "!";
	my $asked = clock_gettime(CLOCK_MONOTONIC);
	$found++ if $line =~ /^(a|aa|(a)\2)+$/;
	my $took = clock_gettime(CLOCK_MONOTONIC) - $asked;
	$slow += $took if $took > 0.001;
	$found++ if $line =~ tr/a//;
}
printf "found %d\nfault_ns %d\n", $found, $slow * 1e9;
