# Each command explains itself in 80 columns; man pages and completion are well-formed.
"$LODE" --version | grep -c '^lode [0-9]'
"$LODE" --help | head -n 1
commands=$("$LODE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
	"$LODE" $command --help >help.txt || echo "$command --help: $?"
	"$LODE" help $command | cmp - help.txt
	awk -v c=$command 'length($0) > 110 { print c ": " $0 }' help.txt
	grep -E '^[A-Z][A-Za-z ,]*:$' help.txt | sort | uniq -d | sed "s/^/$command, twice: /"
	grep -q -e '^Usage: lode' help.txt || echo "$command: no usage"
	grep -q -e '^Examples:' help.txt || echo "$command: no examples"
	"$LODE" help --man $command >page.1 || echo "$command: no man page"
	if command -v groff >/dev/null; then
		groff -K utf8 -T utf8 -man -ww page.1 >/dev/null
	fi
done
"$LODE" help --man >page.1
"$LODE" completion bash >completion && bash -n completion
bash -c '
	source ./completion
	COMP_WORDS=(lode mine --sco); COMP_CWORD=2; _lode; echo "${COMPREPLY[@]}"
	COMP_WORDS=(lode mine --scope g); COMP_CWORD=3; _lode; echo "${COMPREPLY[@]}"
	COMP_WORDS=(lode re); COMP_CWORD=1; _lode; echo "${COMPREPLY[@]}"
'
echo "== subcommands"
"$LODE" help pio train | cmp - <("$LODE" pio train --help) && echo same
"$LODE" help --man pio watch | head -n 1
"$LODE" help pio trian 2>&1; "$LODE" help pio any 2>&1; "$LODE" help repo check 2>&1; "$LODE" help mine info sign 2>&1
