# A folder with one trace in it is that trace; of several, the user is asked which.
mkdir one two none damaged bad
printf '[{"ph":"X","name":"f","ts":1,"dur":2,"pid":1,"tid":1}]' >one/run.json
echo "not a trace" >one/README
cp one/run.json two/a.json
gzip -c one/run.json >two/b.json.gz
echo "not a trace" >none/README
cp one/run.json damaged/
echo "not a recording" >damaged/perf.data
echo "not an XRay log" >damaged/xray-log.prog.x1
cp damaged/perf.data bad/
for folder in one two none damaged bad; do
	echo "== $folder"
	"$LODE" timeline --json "$folder" 2>said | grep -c '"function": "f"'
	"$LODE" timeline "$folder" >out 2>&1
	echo "exit $?"
	cat said
done
