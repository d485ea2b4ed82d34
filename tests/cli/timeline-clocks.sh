# Threads of a folder 500 days apart are told apart, and said; meanwhile is not answered across. An
# hour is the same clock. An index says what its trace says.
mkdir apart hour
printf '0 work 1000\n1 work 31000001000\n' >apart/thread_1
printf '0 work 2000\n1 work 21000001000\n' >apart/thread_2
printf '0 rest 43200000000000000\n1 rest 43200396000000000\n' >apart/thread_3
"$LODE" timeline apart
"$LODE" timeline --at 3:+1s apart
"$LODE" timeline --index apart.lodet apart >direct
"$LODE" timeline apart.lodet | grep -v -e '^apart' -e '^Next: ' >again
grep -v -e '^index' -e '^apart' -e '^Next: ' direct | cmp - again && echo same
"$LODE" timeline --json apart | grep -A14 '"clocks"'
cp apart/thread_1 hour
printf '0 rest 3600000000000\n1 rest 3600000400000\n' >hour/thread_3
"$LODE" timeline hour
timeout 60 "$LODE" timeline --html apart.html apart && timeout 60 "$LODE" timeline --html hour.html hour
